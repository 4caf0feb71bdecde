"""Kinds of secrets, and the places in which people leave them: all made up, none opens anything.

Every second kind is held out: rules are made with the others, and judged with these.
"""

from __future__ import annotations

import base64
import json
import re
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from tests.text.planted import ALNUM, HEX, Drawn, jwt, key_block

_ALPHABETS = {
    "A": ALNUM, "a": ascii_letters, "b": f"{ALNUM}_-", "B": f"{ALNUM}+/", "x": HEX,
    "U": ascii_uppercase + digits, "l": ascii_lowercase + digits, "d": digits,
    "z": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "t": f"{ALNUM}_~.-", "w": ascii_lowercase,
    "p": f"{ALNUM}!#%^*+-_",
}  # fmt: skip
_DRAWN = re.compile(r"\{([AaBbxUldztwp])(\d+)\}")
_UUID = "{x8}-{x4}-{x4}-{x4}-{x12}"

FORMS = {
    "HF_TOKEN": "hf_{a34} hf_{A34} api_org_{a34}",
    "VAULT_TOKEN": "hvs.{b95} hvb.{b140} hvr.{b90}",
    "DIGITALOCEAN_TOKEN": "dop_v1_{x64} doo_v1_{x64} dor_v1_{x64}",
    "AGE_KEY": "AGE-SECRET-KEY-1{z58}",
    "AZURE_CLIENT_SECRET": "{A3}8Q~{t34}",
    "SHOPIFY": "shpat_{x32} shpss_{x32} shpca_{x32} shppa_{x32}",
    "DATABRICKS": "dapi{x32} dapi{x32}-2",
    "SUPABASE": "sbp_{x40} sb_secret_{b31}",
    "SLACK": "xapp-1-A{U10}-{d13}-{x64} xoxb-{d12}-{d13}-{A24} xoxe-1-{A146}",
    "SLACK_USER": "xoxp-{d12}-{d12}-{d13}-{x32}",
    "POSTMAN": "PMAK-{x24}-{x34}",
    "NEW_RELIC": "NRAK-{U27} NRII-{b32}",
    "DOPPLER": "dp.pt.{A43} dp.st.dev.{A43} dp.sa.{A43} dp.ct.{A43}",
    "RUBYGEMS": "rubygems_{x48}",
    "SONAR": "sqp_{x40} squ_{x40} sqa_{x40}",
    "TF_CLOUD": "{A14}.atlasv1.{b67}",
    "AIRTABLE": "pat{A14}.{x64}",
    "HUBSPOT": f"pat-na1-{_UUID} pat-eu1-{_UUID}",
    "LINEAR": "lin_api_{A40} lin_oauth_{A64}",
    "NOTION": "ntn_{d11}{A35} secret_{A43}",
    "FIGMA": "figd_{b40}",
    "GRAFANA": "glsa_{A32}_{x8} glc_eyJ{A60}",
    "DOCKER": "dckr_pat_{b27} dckr_oat_{b32}",
    "TAILSCALE": "tskey-auth-{A12}CNTRL-{A32} tskey-api-{A12}CNTRL-{A32}",
    "TAILSCALE_CLIENT": "tskey-client-{A12}CNTRL-{A32}",
    "GOOGLE": "GOCSPX-{b28} ya29.{b120} AIza{b35} 1//0{b60}",
    "STRIPE": "whsec_{A32} sk_live_{A24} rk_live_{A99} sk_test_{A24}",
    "GITHUB": "ghp_{A36} gho_{A36} ghu_{A36} ghs_{A36} ghr_{A76} github_pat_{A22}_{A59}",
    "GITLAB": "glpat-{b20} gldt-{b20} glrt-{b20} glcbt-{x2}_{b20}",
    "GITLAB_2": "glptt-{x40} glagent-{b50} gloas-{x64} glsoat-{b20} glffct-{b20} glimt-{b25}",
    "GITLAB_3": "glft-{b20}",
    "NPM": "npm_{A36}",
    "PYPI": "pypi-AgEIcHlwaS5vcmc{b100}",
    "OPENAI": "sk-{A20}T3BlbkFJ{A20} sk-proj-{b120} sk-svcacct-{b120} sk-admin-{b120}",
    "ANTHROPIC": "sk-ant-api03-{b93}AA sk-ant-admin01-{b93}AA",
    "OPENROUTER": "sk-or-v1-{x64}",
    "XAI": "xai-{A80}",
    "GROQ": "gsk_{A52}",
    "PERPLEXITY": "pplx-{A48}",
    "REPLICATE": "r8_{A37}",
    "NVIDIA": "nvapi-{b64}",
    "VOYAGE": "pa-{b43}",
    "DEEPSEEK": "sk-{x32}",
    "LANGSMITH": "lsv2_pt_{x32}_{x10} lsv2_sk_{x32}_{x10}",
    "LANGFUSE": f"sk-lf-{_UUID}",
    "TAVILY": "tvly-{A32} tvly-dev-{A32}",
    "JINA": "jina_{x32}{A32}",
    "PINECONE": "pcsk_{A5}_{A63}",
    "E2B": "e2b_{x40}",
    "SENDGRID": "SG.{b22}.{b43}",
    "MAILGUN": "key-{x32}",
    "MAILCHIMP": "{x32}-us12",
    "BREVO": "xkeysib-{x64}-{A16} xsmtpsib-{x64}-{A16}",
    "RESEND": "re_{A8}_{A24}",
    "TWILIO": "AC{x32} SK{x32}",
    "TELEGRAM": "{d10}:AA{b33}",
    "DISCORD": "M{A23}.{A6}.{b27}",
    "AWS": "AKIA{U16} ASIA{U16} ABSK{B128}",
    "CLOUDFLARE": "v1.0-{x24}-{x146}",
    "HEROKU": "HRKU-AA{b58}",
    "NETLIFY": "nfp_{A36}",
    "RENDER": "rnd_{A32}",
    "FLY": "fo1_{b43} fm2_{B100}",
    "PLANETSCALE": "pscale_tkn_{b43} pscale_pw_{b43} pscale_oauth_{b43}",
    "ATLASSIAN": "ATATT3xFfGF0{b180}={U8} ATBB{A32} ATCTT3xFfGN0{b180}={U8}",
    "TRELLO": "ATTA{x64}",
    "CONTENTFUL": "CFPAT-{b43}",
    "DYNATRACE": "dt0c01.{U24}.{U64}",
    "SENTRY": "sntryu_{x64} sntrys_eyJ{A80}_{A43}",
    "SQUARE": "sq0csp-{b43} sq0atp-{b22} EAAA{b60}",
    "PLAID": f"access-sandbox-{_UUID} access-production-{_UUID}",
    "SHIPPO": "shippo_live_{x40}",
    "EASYPOST": "EZAK{A54} EZTK{A54}",
    "DUFFEL": "duffel_live_{b43}",
    "RAZORPAY": "rzp_live_{A20}",
    "FACEBOOK": "EAAB{A180}",
    "TYPEFORM": "tfp_{b59}",
    "README": "rdme_{l70}",
    "FRAMEIO": "fio-u-{b64}",
    "PREFECT": "pnu_{l36}",
    "PULUMI": "pul-{x40}",
    "INFRACOST": "ico-{A32}",
    "ADOBE": "p8e-{l32}",
    "ALIBABA": "LTAI{A20}",
    "TENCENT": "AKID{A32}",
    "YANDEX": "AQVN{b36} t1.{b60}.{b86}",
    "ARTIFACTORY": "AKCp{A69}",
    "CLOJARS": "CLOJARS_{x60}",
    "CRATES": "cio{A32}",
    "NUGET": "oy2{l43}",
    "OPENSHIFT": "sha256~{b43}",
    "OCTOPUS": "API-{U26}",
    "ONEPASSWORD": "ops_eyJ{A250}",
    "SOURCEGRAPH": "sgp_{x40} sgp_{x16}_{x40}",
    "BUILDKITE": "bkua_{x40}",
    "CIRCLECI": "CCIPAT_{A22}_{x40}",
    "LAUNCHDARKLY": f"sdk-{_UUID} api-{_UUID}",
    "MAPBOX": "sk.eyJ1{A80}.{b22}",
    "WANDB": "wandb_v1_{A64}",
    "ELEVENLABS": "sk_{x48}",
    "SCALEWAY": "SCW{U17}",
    "HARNESS": "pat.{A22}.{x24}.{A20}",
    "SETTLEMINT": "sm_pat_{A16}",
    "DENO": "ddp_{A36}",
    "EXPO": "expo_{b40}",
    "TOGETHER": "tgp_v1_{b43}",
    "CLERK": "sk_live_{A42}",
    "AIVEN": "AVNS_{b19}",
    "CONFLUENT": "cflt{B60}",
}  # fmt: skip
"""Tokens by the name that they are given in an environment; each is known by its own form."""

NAMED = {
    "SERVICE_API_TOKEN": "{A32}", "TWILIO_AUTH_TOKEN": "{x32}", "HEROKU_API_KEY": _UUID,
    "DD_API_KEY": "{x32}", "DATADOG_APP_KEY": "{x40}", "SECRET_KEY_BASE": "{x128}",
    "DJANGO_SECRET_KEY": "{p50}", "JWT_SECRET": "{A40}", "client_secret": "{b40}",
    "ENCRYPTION_KEY": "{x64}", "signing_key": "{A43}", "PGPASSWORD": "{A14}",
    "MYSQL_PWD": "{A12}", "REDIS_PASSWORD": "{A16}", "SMTP_PASS": "{A16}",
    "spring.datasource.password": "{A14}", "access_token": "{A40}", "refreshToken": "{A40}",
    "session_token": "{x64}", "WEBHOOK_SECRET": "{x40}", "app-secret": "{x32}",
    "consumerSecret": "{A50}", "private_token": "{A20}", "DEPLOY_TOKEN": "{A24}",
    "MASTER_KEY": "{x32}", "passphrase": "{A18}", "AWS_SECRET_ACCESS_KEY": "{B40}",
    "AccountKey": "{B86}==", "apiKey": "{A32}", "accessToken": "{A36}", "clientSecret": "{A36}",
    "dbPassword": "{A12}", "user_credential": "{A24}", "auth_key": "{A20}",
    "CLOUDFLARE_API_TOKEN": "{b40}", "SNYK_TOKEN": _UUID, "CODECOV_TOKEN": _UUID,
    "PAGERDUTY_TOKEN": "{A20}", "POSTMARK_SERVER_TOKEN": _UUID, "ALGOLIA_API_KEY": "{x32}",
    "COHERE_API_KEY": "{A40}", "MISTRAL_API_KEY": "{A32}", "WANDB_API_KEY": "{x40}",
    "HCLOUD_TOKEN": "{A64}", "LINODE_TOKEN": "{x64}", "VERCEL_TOKEN": "{A24}",
    "RAILWAY_TOKEN": _UUID, "ROOT_PASSWORD": "{p16}", "api-key": "{A24}", "secret": "{A24}",
    "storage_key": "{B86}==", "hmac_key": "{x64}", "ssh_passphrase": "{A20}",
    "SharedAccessKey": "{B43}=", "X-Api-Key": "{A40}", "X-Auth-Token": "{A40}",
    "PRIVATE-TOKEN": "{A20}", "GRAPHITE_SECRET": "{w12}{d2}", "BOT_TOKEN": "{A48}",
    "ADMIN_PASSWORD": "{A10}", "license_secret": "{U25}", "okta_api_token": "00{b40}",
    "STRIPE_WEBHOOK_SIGNING_SECRET": "{A32}", "encryptionKey": "{B43}=",
}  # fmt: skip
"""Values that are secrets by their names alone."""

WRITTEN = {
    "redis without user": "redis://:«{A16}»@cache.internal:6379/0",
    "postgres": "postgres://ann:«{A14}»@db.internal:5432/shop",
    "mongo srv": "mongodb+srv://ann:«{A12}»@c0.ab1cd.mongodb.net/shop?retryWrites=true",
    "amqp": "amqp://ann:«{x24}»@queue:5672/%2f",
    "special signs": "mysql://ann:«{A6}!%24{A6}»@db/shop",
    "https, user alone": "https://«{A36}»@code.internal/team/app.git",
    "https, no password": "https://«{A32}»:@api.internal/v1",
    "https, oauth2": "https://oauth2:«{b24}»@code.internal/team/app.git",
    "pip index": "--index-url https://__token__:«{A40}»@pypi.internal/simple",
    "curl -u": "curl -u ann:«{A14}» https://api.internal/v1",
    "curl --user": "curl -sS --user 'ann:«{A14}»' https://api.internal/v1",
    "mysql -p": "mysql -h db -u root -p«{A12}» shop",
    "mysqldump": "mysqldump -uroot -p'«{A12}»' shop > shop.sql",
    "sshpass": "sshpass -p «{A12}» ssh ann@host",
    "redis-cli": "redis-cli -h cache -a «{A20}» ping",
    "docker login": "docker login -u ann -p «{A20}» hub.internal",
    "bearer": "Authorization: Bearer «{b40}»",
    "bearer of curl": "curl -H 'Authorization: Bearer «{A32}»' https://api.internal",
    "bearer, jwt": "Authorization: Bearer <JWT>",
    "basic": "Authorization: Basic <BASIC>",
    "basic of curl": 'curl -H "Authorization: Basic <BASIC>" https://api.internal',
    "token header": "Authorization: token «{x40}»",
    "proxy": "Proxy-Authorization: Basic <BASIC>",
    "bare header": "Authorization: «{A32}»",
    "api key header": "curl -H 'X-API-Key: «{A32}»' https://api.internal",
    "npmrc": "//registry.internal/:_authToken=«{A36}»",
    "npmrc auth": "//registry.internal/:_password=«{B24}»",
    "netrc": "machine api.internal login ann password «{A14}»",
    "option": "deploy --host a --password «{A14}» --force",
    "option token": "deploy --token=«{A24}» --force",
    "connection string": "Server=db;Database=shop;User Id=ann;Password=«{A14}»;Encrypt=true",
    "storage string": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«{B86}==»;Suffix=x",
    "service bus": "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=«{B43}=»",
    "sas": "https://a.blob.core.windows.net/c?sv=2022-11-02&sp=rl&sig=«{A40}%2B{A3}%3D»",
    "jdbc": "jdbc:postgresql://db:5432/shop?user=ann&password=«{A14}»",
    "slack webhook": "https://hooks.slack.com/services/T{U10}/B{U10}/«{A24}»",
    "discord webhook": "https://discord.com/api/webhooks/{d18}/«{b68}»",
    "query": "https://api.internal/v1?region=eu&api_key=«{A32}»&page=2",
    "query token": "https://api.internal/v1?access_token=«{b40}»",
    "xml": "<property><password>«{A14}></password></property»",
    "sql": "CREATE USER ann WITH PASSWORD '«{A14}»';",
    "sql identified": "CREATE USER 'ann'@'%' IDENTIFIED BY '«{A14}»';",
    "redis conf": "requirepass «{A24}»",
    "wireguard": "PrivateKey = «{B43}=»",
    "jwt": "<JWT>",
    "call": 'connect(user="ann", password="«{A12}»")',
    "comparison": 'if "«{A12}»" == my_password:',
    "arrow": "  client_secret => `«{A20}»`",
    "go": 'apiKey := "«{A32}»"',
    "yaml of kubernetes": "{name: DB_PASSWORD, value: «{A14}»}",
    "env of docker": "docker run -e DB_PASSWORD=«{A14}» -e MODE=x app",
    "export": "export MY_SERVICE_TOKEN=«{A24}»",
    "powershell": "$env:MY_API_KEY = '«{A32}»'",
    "escaped": 'echo "{\\"api_key\\": \\"«{A32}»\\"}"',
    "ini": "secret_key=«{A40}»",
    "said": "The API token is «{A32}», do not lose it.",
    "said of a password": "Log in as ann with the password `«{A12}»` first.",
    "quoted entropy": 'x("«{A44}»")',
    "pem": "<PEM>",
    "pem, encrypted": "<PEM2>",
    "column": "| a | password | b |\n|---|---|---|\n| 1 | «{A12}» | 2 |",
    "first column": "| Token | n |\n| :--- | ---: |\n| `«{A24}»` | 2 |",
    "last column": "a | **API key**\n--|--\nx | y\nz | «{A32}»",
    "column of psql": " id | secret\n----+---------\n  1 | «{A20}»\n  2 |",
    "column of mysql": "+--+----+\n| id | password |\n+--+----+\n| 1 | «{A12}» |\n+--+----+",
    "no-break space": "password:\u00a0«{A12}»",
    "wide space": "API key\u3000:\u2003«{A24}»",
    "full-width equals": "password＝«{A12}»",
    "full-width colon": "password：«{A12}»",
    "yaml, next line": "password:\n  «{A12}»",
    "yaml, next line, quoted": "api_key:\n    '«{A24}»'",
    "yaml, literal block": "db:\n  password: |\n    «{A12}»\n  port: 1",
    "yaml, folded block": "token: >-  # theirs\n  «{A32}»",
    "yaml, tag": "password: !!str «{A12}»",
    "yaml, tag and block": "password: !!str |\n  «{A12}»",
    "yaml, anchor": "password: &pw «{A12}»",
    "dash": "Token — «{A24}»",
    "short dash": "API key – «{A24}»",
    "url-encoded": "state=next%3Fpassword%3D«{A12}»%26page%3D2",
    "docker config": '{"auths":{"r.io":{"auth":"<BASIC>"}}}',
    "cookie": "Cookie: session=«{A40}»",
    "cookie, second": "Cookie: theme=dark; connect.sid=s%3A«{A32}»; lang=en",
    "set-cookie": "Set-Cookie: sid=«{A32}»; Path=/; HttpOnly",
    "cookie of curl": "curl --cookie 'PHPSESSID=«{l26}»' https://a.internal",
    "pgpass": "db.internal:5432:shop:ann:«{A12}»",
    "pgpass, any database": "*:5432:*:ann:«{A12}»",
    "wifi": 'psk="«{A12}»"',
    "piped to docker": "echo «{A20}» | docker login -u ann --password-stdin hub.internal",
    "piped to sudo": "echo '«{A12}»' | sudo -S apt update",
    "printf to podman": "printf '%s' «{A20}» | podman login --password-stdin hub.internal",
    "here string": "docker login -u ann --password-stdin <<< '«{A20}»'",
    "Passwort": "Passwort: «{A12}»", "Kennwort": "Das Kennwort: «{A12}»",
    "mot de passe": "Mot de passe\u00a0: «{A12}»", "contraseña": "Contraseña: «{A12}»",
    "senha": "Senha: «{A12}»", "пароль": "Пароль: «{A12}»", "密码": "密码：«{A12}»",
    "パスワード": "パスワード: «{A12}»", "비밀번호": "비밀번호: «{A12}»",
    "wachtwoord": "wachtwoord = «{A12}»", "hasło": "Hasło: «{A12}»",
    "bcrypt": "$2b$12$«{A53}»", "sha512-crypt": "ann:$6$«{A16}$/{A85}»:19000:0:99999:7:::",
    "sha512-crypt, rounds": "$6$rounds=5000$«{A16}$/{A85}»", "apr1": "ann:$apr1$«{A8}${A22}»",
    "argon2": "$argon2id$v=19$m=65536,t=3,p=4$«{B22}${B43}»",
}  # fmt: skip
"""Lines with the secret between ``«`` and ``»``."""


class Kind(NamedTuple):
    """A kind of secret, and one of it."""

    label: str
    name: str
    """What it is assigned to; empty where it is written in a line of its own form."""
    text: str
    """The secret, or the line with it."""
    secret: str
    """What nobody else may see: of a key its third line."""

    @property
    def held_out(self) -> bool:
        """Whether no rule was made with it."""
        return self.label in _HELD_OUT


def _filled(form: str, draw: Drawn) -> str:
    return _DRAWN.sub(lambda part: draw(int(part[2]), _ALPHABETS[part[1]]), form)


def kinds(seed: str) -> list[Kind]:
    """Return a secret of every kind, other ones for each ``seed``."""
    draw = Drawn(f"kinds {seed}")
    made = []
    for name, forms in FORMS.items():
        for at, form in enumerate(forms.split()):
            token = _filled(form, draw)
            made.append(Kind(f"{name} {at}", f"{name}_{at}", token, token))
    for name, form in NAMED.items():
        value = _filled(form, draw)
        made.append(Kind(name, name, value, value))
    made += [_written(label, line, draw) for label, line in WRITTEN.items()]
    return made


def _written(label: str, line: str, draw: Drawn) -> Kind:
    basic = base64.b64encode(f"ann:{draw(16)}".encode()).decode()
    own = {"<JWT>": jwt(f"{draw.seed} {label}"), "<BASIC>": basic}
    for stands, made in own.items():
        if stands in line:
            # Of a web token each part counts: the claims are looked for.
            secret = made.split(".")[1] if stands == "<JWT>" else made
            return Kind(label, "", line.replace(stands, made), secret)
    if line in ("<PEM>", "<PEM2>"):
        block = key_block("PRIVATE" if line == "<PEM>" else "ENCRYPTED PRIVATE", draw(8))
        return Kind(label, "", block, block.split("\n")[2])
    head, _, rest = _filled(line, draw).partition("«")
    secret, _, tail = rest.partition("»")
    return Kind(label, "", f"{head}{secret}{tail}", secret)


PLACES = (
    "title", "prose", "list", "table", "fence", "env", "json", "yaml", "quoted turn",
    "tool result", "frontmatter", "file name",
)  # fmt: skip


def written(kind: Kind, place: str) -> str:
    """Return what stands in ``place`` with the secret of ``kind`` in it."""
    by_name = kind.label in NAMED
    told = f"{kind.name} = {kind.text}" if by_name else kind.text
    listed = f"{kind.name}: {kind.text}" if by_name else told
    said = f"{kind.name} is {kind.text}, they said." if by_name else f"We took {told} then."
    cell = f"| {kind.name} | {kind.text} |" if kind.name else f"| a | {told} |"
    if "\n" in told and not told.startswith("-----"):  # a block, which stands by itself
        said, cell = f"We took this then:\n\n{told}\n", told
    line = f"{kind.name}={kind.text}" if kind.name else kind.text
    entry = f"{kind.name}: {kind.text}" if kind.name else f"command: {kind.text}"
    return {
        "title": told, "prose": said, "list": listed, "quoted turn": listed, "table": cell,
        "fence": line, "env": line if kind.name else f'COMMAND="{kind.text}"',
        "json": _json({kind.name or "command": kind.text, "n": 1}), "yaml": entry,
        "frontmatter": entry, "tool result": _json({"stdout": line}), "file name": line,
    }[place]  # fmt: skip


def _json(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False)


def harmless(seed: str) -> list[str]:
    """Return lines that look like secrets and are none, with other hashes for each ``seed``."""
    draw = Drawn(f"harmless {seed}")
    return [_filled(line, draw).replace("UUID", _filled(_UUID, draw)) for line in HARMLESS]


HARMLESS = (
    # hashes and ids
    "commit {x40}", "never cache token 0x{x8}", "Merge {x40} into main", "`{x40}`",
    "see {x7}..{x7}", "fixed in {x12}",
    "sha256:{x64}", "image: app@sha256:{x64}", '"digest": "sha256:{x64}"', "md5 = {x32}",
    "checksum: {x64}", "id: UUID", '"requestId": "UUID"', "UUID", "trace_id={x32}",
    'ETag: "{x40}"', 'etag: W/"{x32}"', 'If-None-Match: "{A27}"', 'ETag: W/"{A27}"',
    '"checksum": "{A40}",',
    "cache_key: {x40}",
    "CACHE_KEY={x40}", "idempotency_key: UUID", 'Idempotency-Key: "UUID"',
    "idempotency_key = '{x32}'", "public_key: {B43}=", 'publicKey = "{x64}"',
    "PUBLIC_KEY={B60}", "primary_key: id_{d6}ab", "partition_key = tenant{d4}",
    "sort_key: created{d8}", "foreign_key: users2020", "object_key: img/{x32}.png",
    "build 20260530T114429Z-{x8}", "layer {x64} pulled", "go1.22.{d1}-{x12}",
    "revision: {x40}", "fingerprint: SHA256:{B43}", "key fingerprint {x40}",
    # lock files
    '"integrity": "sha512-{B86}==",', "  integrity sha512-{B86}==",
    "  resolution: {integrity: sha512-{B86}==}", 'checksum = "{x64}"',
    '"resolved": "https://registry.example.org/js-tokens/-/js-tokens-4.0.0.tgz",',
    'resolved "https://registry.internal/js-tokens/-/js-tokens-4.0.0.tgz#{x40}"',
    '    {file = "token-1.0-py3-none-any.whl", hash = "sha256:{x64}"},',
    "github.com/golang-jwt/jwt/v5 v5.2.1 h1:{B43}=", "github.com/x/secret v1.2.3/go.mod h1:{B43}=",
    "golang.org/x/token v0.0.0-20210101000000-{x12} h1:{B43}=", '"js-tokens": "^3.0.0 || ^4.0.0",',
    "js-tokens@^4.0.0:", '"secret-stack": "6.4.2",', '"content-hash": "{x64}"',
    'content-hash = "{x64}"', "/path-key@3.1.1:", "    --hash=sha256:{x64} \\",
    'name = "secrecy"', '"@types/passport": "1.0.16",', "_resolved: false, _shasum: {x40}",
    # public keys
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{B200} ann@host",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43} ann@host",
    "-----BEGIN PUBLIC KEY-----", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{B20}",
    "-----BEGIN CERTIFICATE-----", "age1{l58}", "PublicKey = {B43}=", "pk_live_{A24}",
    # examples
    "API_KEY=your-api-key-here", "TOKEN=your-token-here", "token: your_token_here",
    "API_TOKEN=xxxxxxxxxxxxxxxx", "token: <TOKEN>", "TOKEN=<your token>", "TOKEN=${TOKEN}",
    "API_KEY=$(pass show x)", "export TOKEN=$TOKEN", "PASSWORD=changeme", 'password: "changeme"',
    "secret: REPLACE_ME_WITH_SECRET", "token: process.env.API_TOKEN2", "token = process.env.X",
    'token = os.environ["API_TOKEN"]', 'api_key=os.environ["X"]', 'key = os.getenv("API_KEY")',
    "password: ${{ secrets.DB_PASSWORD }}", "API_KEY: ${{ secrets.API_KEY }}",
    "password: {{ vault_password }}", "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN", "Authorization: Bearer ${API_TOKEN}",
    "Authorization: Bearer YOUR_TOKEN", 'curl -H "Authorization: Bearer $GITHUB_TOKEN" https://x.y',
    "curl -u user:password https://x.y", "curl -u $USER:$PASS https://x.y",
    "mysql -u root -p shop", "mysql -p", "mysql -uroot -p$PW shop", "ghp_xxxxxxxxxxxxxxxxxxxx",
    "sk-...", "AKIAIOSFODNN7EXAMPLE", "sk-your-key-here-your-key-here-xx",
    "hf_your_token_here_please",
    "https://user:password@host/x", "https://<user>:<password>@host", "redis://:password@localhost",
    "postgres://postgres:postgres@localhost/db", "https://x-access-token:${TOKEN}@host/x.git",
    "DB_PASSWORD=*****", "api_key: sk-*****", "SECRET_KEY=dummy-value-for-tests",
    "--password-stdin", "--token <value>", "TOKEN=", 'password = ""', "password: null",
    # code and prose
    "password: str", "token: string;", "token: Optional[str] = None",
    "def f(token: str, password: str):",
    "token = get_token()", "token = self.get_token2(user1)", "const token = await getToken2();",
    "token_count: 8000", "max_tokens=4096", "max_tokens: 4096", "tokens: 128000", "tokens=200k",
    "the secret is to write less", "The token is refreshed hourly.", "token: expired",
    "password: hashed with argon2id", "password: argon2id", "password: bcrypt", "token: sha256",
    "The password is hashed.", "api key: required", "access token: see the vault",
    "a token is 4 characters", "| token | count |", "| password | string | required |",
    "| api_key | string | The key. |", "| API_KEY | your key |", "token -> user", "tokens / sec",
    "secret/data/app1 holds it", "client_secret: file:/run/secrets/db1",
    "PASSWORD_FILE=/run/secrets/p1",
    "DB_PASSWORD_FILE=/run/secrets/db_password",
    "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/sa-1.json",
    "key = f'{user}:{page}'", "private_key: ~/.ssh/id_ed25519", 'sshKey: "/home/ann/.ssh/id_rsa2"',
    "token = tokens[i]", "token=token2", "password=password1", "api_key=api_key_1",
    "secretKeyRef: {name: app-secrets, key: db1}", "secretName: app-tls-2024",
    "tokenizer: o200k_base",
    "tokenizer = cl100k_base", "pad_token: <pad>", 'eos_token = "</s>"', "token_type: Bearer",
    "auth: basic", "Basic authentication2go", "bearer of 3 letters", "token budget: 8k",
    "access_key: see 1Password", "signing_key: rotated 2026-05", "Session token: HttpOnly, Secure",
    'type="password" id="login-form2"', '<input type="password" name="pw2">',
    "password must have 8 characters and 1 digit",
    "docker run -p 8080:80 app1", "docker run -u 1000:1000 app", "pytest -p no:cacheprovider2",
    "python -m pip install -U token2vec", "git@github.com:owner/name1.git",
    "https://host:8080/path@2", "npm i @scope/pkg@1.2.3", "https://a.b/c?page_token=2",
    "pass: 12, fail: 3", "key: value1", "keyboard: qwerty123", "monkey = bananas99",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
    "vault: op://vault/item/field1", "tokens-per-minute: 30000", "secret: false", "secret: true",
    "AbstractAuthenticationTokenFilterFactoryBean2",
    "src/components/TokenInput/TokenInput2.test.tsx",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{B60}",
    # columns
    "| token | count |\n|---|---|\n| the | 12000 |\n| deploy2 | 1 |",
    "| n | token |\n|---|---|\n| 1 | o200k_base |\n| 2 | StringEncoder2 |\n| 3 | 20260530 |",
    "| field | password |\n|---|---|\n| type | string |\n| hash | argon2id |\n| least | 8chars |",
    "| id | API key | digest |\n|---|---|---|\n| 1 | see vault | {x64} |",
    "| secret | used by |\n|---|---|\n| app-tls-2024 | `{x40}` |\n| DbPassword2 | app |",
    "| token |\n|---|\n\nRelease {A12} | 2", "| a | token |\n\n| 1 | {A12} |",
    "| password | commit |\n|:-:|:-:|\n| <password> | {x40} |\n| ******** | {x7} |",
    # the next line, tags, blocks
    "password:\n  min_length: 12\n  hash: argon2id2", "secret:\n  secretName: app2tls2024",
    "token:\n  type: string\n  example1: {A12}", "tokens:\n  - o200k_base\n  - cl100k_base",
    "key: |\n  Some prose of version2 here.\n  More of it.", "api_key: >-\n  The key of 32chars.",
    "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256", "password: *default",
    "token: !Ref ApiToken2", "secret: !Sub '${Stack}-secret1'", "password: &default changeme",
    "They take a token:\n  OAuth2Client", "token:\nrelease20260530", "  token:\n  {A12}",
    "password:\n\n  see1Password", "secret: |\n  ${{ secrets.DB2 }}",
    # dashes
    "Token — what it means", "Token – a unit of 4chars", "password - at least 8chars",
    "secret — OAuth2Client", "state.tokens[endDelim.token - 1].content", "tokens - used2 + rest3",
    "API key — sha256 of {x64}", "token — {x40}", "tokens.token - tokens.pop(0)",
    # cookies
    "Cookie: theme=dark", "Cookie: lang=en-GB; consent=2026-05-30; _ga=GA1.2.{d9}.{d10}",
    "Set-Cookie: session=; Max-Age=0; Path=/", "Cookie: session=main", "Cookie: session=<id>",
    "document.cookie = `seen=${value}`", "cookie: etag={x32}", "Cookie: session=$SESSION",
    "cookies={'session': session_id2}", "cookie-parser@1.4.6", "Cookie: sid=your-session-id-123",
    # fields and pipes
    "docker run -p 127.0.0.1:5432:5432 db", "db.internal:5432:shop:ann:password",
    "postgres:5432:up:healthy", 'psk="your-passphrase"', "psk: null", "wpa-psk",
    "echo $PW | docker login --password-stdin", 'echo "$PW" | sudo -S true', "psk = TLS1.3",
    "cat pw.txt | docker login --password-stdin", "echo done | docker login", "rsync -S a b",
    "echo y | sudo -S apt", "docker login --password-stdin <<< $PW", "grep -S token2 file",
    # names elsewhere
    "Passwort: mindestens 8Zeichen", '"password": "Passwort"', '"password": "Contraseña"',
    '"password": "パスワードを入力してください"', '"password": "Введите"', "Пароль: обязателен",
    "密码：必填", "Mot de passe : obligatoire", "il passe : version2024", "senha: string",
    "Kennwort: siehe 1Password", "asenha2", "비밀번호: 8자 이상",
    # encoded, auths, hashes, ports
    "next%3Dpage2%26token%3D", "password%3D%24PW", '"auth": "basic"',
    '{"auth": {"type": "oauth2"}}', "auth: middleware2024", "auth: required", '"auth": "none"',
    '"auth": ""', "$2b$12$",
    "$6$rounds=5000$", "bcrypt writes $2b$12$ and 53 letters", "$argon2id$v=19$m=65536,t=3,p=4",
    "http://localhost:8080@v2", "https://registry.internal:5000@v1.2", "http://127.0.0.1:8080@x",
)  # fmt: skip
"""What people write that looks like a secret."""

_EVERY = [kind.label for kind in kinds("labels")]
_HELD_OUT = frozenset(_EVERY[1::2])
