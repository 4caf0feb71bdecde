# Tab completion of ctx for PowerShell 5.1 or later: dot-source this file in your $PROFILE.

Register-ArgumentCompleter -Native -CommandName ctx -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $program = Get-Command ctx -CommandType Application -ErrorAction SilentlyContinue |
        Select-Object -First 1
    if (-not $program) { return }
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
                [string]$_.Value
            } else {
                [string]$_.Extent.Text
            }
        }) + [string]$wordToComplete
    $encoding, $code = [Console]::OutputEncoding, $global:LASTEXITCODE
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $Env:_CTX_COMPLETE = 'complete_powershell'
        $Env:_CTX_WORDS = ConvertTo-Json -Compress -InputObject @($words)
        # Where nothing is returned, PowerShell completes files.
        & $program 2>$null | ForEach-Object {
            $text, $shown, $help = $_ -split "`t", 3
            [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $help)
        }
    } finally {
        [Console]::OutputEncoding, $global:LASTEXITCODE = $encoding, $code
        Remove-Item Env:_CTX_COMPLETE, Env:_CTX_WORDS -ErrorAction SilentlyContinue
    }
}
