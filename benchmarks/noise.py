"""Texts of no language: logs, tables, data, line art, characters of each block, made by chance."""

# ruff: noqa: E501, UP031

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable

R = random.Random(77)
LOW = "abcdefghijklmnopqrstuvwxyz"


def data(size: int) -> bytes:
    """Return random bytes."""
    return bytes(R.randrange(256) for _ in range(size))


def lines(count: int, line: Callable[[], str]) -> str:
    """Return lines made by ``line``."""
    return "\n".join(line() for _ in range(count))


NOISE: dict[str, str] = {}
WHOLE = base64.b64encode(data(9000)).decode()
NOISE["base64_wrapped"] = "\n".join(WHOLE[i : i + 76] for i in range(0, len(WHOLE), 76))
NOISE["base64_one"] = WHOLE
NOISE["base64url"] = " ".join(
    base64.urlsafe_b64encode(data(R.randrange(16, 60))).decode().strip("=") for _ in range(200)
)
NOISE["jwt"] = lines(
    40,
    lambda: ".".join(
        base64.urlsafe_b64encode(data(R.randrange(20, 90))).decode().strip("=") for _ in range(3)
    ),
)
NOISE["hex_lower"] = lines(200, lambda: data(R.randrange(4, 32)).hex())
NOISE["hex_upper"] = lines(200, lambda: data(R.randrange(4, 32)).hex().upper())
NOISE["hexdump"] = lines(
    200,
    lambda: (
        "%08x  %s  |%s|"
        % (
            R.randrange(2**24) * 16,
            " ".join("%02x" % x for x in data(16)),
            "".join(chr(R.randrange(32, 127)) for _ in range(16)),
        )
    ),
)
NOISE["hex0x"] = lines(150, lambda: ", ".join("0x%02X" % x for x in data(8)))
NOISE["uuid"] = lines(150, lambda: "-".join(data(n).hex() for n in (4, 2, 2, 2, 6)))
NOISE["sha"] = lines(
    100,
    lambda: (
        data(20).hex()
        + " "
        + R.choice(["fix", "add", "docs"])
        + ": "
        + R.choice(["the parser", "tests", "README"])
    ),
)
NOISE["digits"] = lines(
    150, lambda: " ".join(str(R.randrange(10 ** R.randrange(1, 14))) for _ in range(8))
)
NOISE["floats"] = lines(
    150, lambda: ", ".join(repr(R.random() * 10 ** R.randrange(-5, 5)) for _ in range(5))
)
NOISE["random_lower"] = " ".join(
    "".join(R.choice(LOW) for _ in range(R.randrange(3, 14))) for _ in range(1500)
)
NOISE["random_upper"] = " ".join(
    "".join(R.choice(LOW.upper()) for _ in range(R.randrange(3, 14))) for _ in range(1500)
)
NOISE["random_mixed"] = " ".join(
    "".join(R.choice(LOW + LOW.upper()) for _ in range(R.randrange(3, 14))) for _ in range(1500)
)
NOISE["random_alnum"] = " ".join(
    "".join(R.choice(LOW + LOW.upper() + "0123456789") for _ in range(R.randrange(3, 24)))
    for _ in range(1000)
)
NOISE["random_title_lines"] = lines(
    1000, lambda: R.choice(LOW).upper() + "".join(R.choice(LOW) for _ in range(R.randrange(3, 10)))
)
NOISE["random_print"] = "".join(
    chr(R.randrange(33, 127)) if R.random() < 0.93 else R.choice(" \n") for _ in range(9000)
)
NOISE["random_print_dense"] = "".join(chr(R.randrange(33, 127)) for _ in range(6000))
NOISE["random_punct"] = " ".join(
    "".join(R.choice("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") for _ in range(R.randrange(1, 9)))
    for _ in range(1500)
)
NOISE["letter_runs"] = " ".join(
    R.choice(LOW + LOW.upper()) * R.randrange(2, 60) for _ in range(500)
)
NOISE["punct_runs"] = " ".join(
    R.choice("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") * R.randrange(2, 150) for _ in range(400)
)
NOISE["punct_lines"] = lines(
    300, lambda: R.choice("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") * R.randrange(2, 150)
)
NOISE["pairs_runs"] = " ".join(
    (R.choice("-=+*_.~#|<>") + R.choice("-=+*_.~#|<> ")) * R.randrange(2, 40) for _ in range(400)
)
NOISE["spaces"] = lines(
    300,
    lambda: (
        " " * R.randrange(0, 200) + "x" + " " * R.randrange(1, 90) + "y" + " " * R.randrange(0, 9)
    ),
)
NOISE["tabs"] = lines(300, lambda: "\t" * R.randrange(0, 20) + "x" + "\t" * R.randrange(1, 9) + "y")
NOISE["mixed_white"] = lines(
    300,
    lambda: (
        "".join(
            R.choice(" \t \v\f\u00a0\u2003\u3000\u200b\u2028\x85\x1c\r")
            for _ in range(R.randrange(1, 20))
        )
        + "ab"
    ),
)
NOISE["crlf"] = "\r\n".join(
    "the " + R.choice(["word", "line", "", " "]) + R.choice([".", ";", " x", ""])
    for _ in range(900)
)
NOISE["cr"] = "\r".join(
    "the " + R.choice(["word", "line", "", " "]) + R.choice([".", ";", " x", ""])
    for _ in range(900)
)
NOISE["blank_lines"] = "\n".join(R.choice(["", "", "a", "- b", "    ", "\t"]) for _ in range(1500))
NOISE["control"] = " ".join(
    "".join(chr(R.randrange(0, 32)) for _ in range(R.randrange(1, 9))) + "word" for _ in range(500)
)
NOISE["c1"] = "".join(chr(R.randrange(0x80, 0x100)) for _ in range(3000))
NOISE["zero_width"] = "".join(
    R.choice(LOW + "\u200b\u200c\u200d\u2060\ufeff \u202e\u2066") for _ in range(4000)
)
NOISE["combining"] = "".join(
    R.choice(LOW) + "".join(chr(R.randrange(0x300, 0x370)) for _ in range(R.randrange(0, 4)))
    for _ in range(1500)
)
NOISE["surrogates"] = "".join(R.choice("ab \ud800\udfff\udc80") for _ in range(2000))
NOISE["private"] = "".join(chr(R.randrange(0xE000, 0xF8FF)) for _ in range(1500))
NOISE["bmp_random"] = "".join(chr(R.randrange(0xA0, 0xD7FF)) for _ in range(3000))
NOISE["astral_random"] = "".join(chr(R.randrange(0x10000, 0x10FFFF)) for _ in range(1500))
NOISE["mixed_scripts"] = "".join(R.choice("aZ0 .é жΩ中あ한ع ה हก😀ß\n") for _ in range(4000))
EMOJI = [
    chr(c)
    for c in list(range(0x1F300, 0x1F650))
    + list(range(0x1F680, 0x1F6FF))
    + list(range(0x1F900, 0x1F9FF))
    + list(range(0x2600, 0x27BF))
]
NOISE["emoji"] = "".join(
    R.choice(EMOJI) + R.choice(["", " ", "\ufe0f", "\u200d", "\U0001f3fd"]) for _ in range(1500)
)
NOISE["emoji_prose"] = " ".join(
    R.choice(["done", "the", "build", "fails", "ship"]) + " " + R.choice(EMOJI) for _ in range(800)
)
NOISE["flags"] = " ".join(
    chr(0x1F1E6 + R.randrange(26)) + chr(0x1F1E6 + R.randrange(26)) for _ in range(600)
)
NOISE["mathbold"] = " ".join(
    "".join(chr(0x1D400 + R.randrange(900)) for _ in range(6)) for _ in range(250)
)
NOISE["fullwidth"] = " ".join(
    "".join(chr(0xFF01 + R.randrange(94)) for _ in range(6)) for _ in range(350)
)
BOX = "│─┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬━┃┏┓┗┛╭╮╰╯╌╴╵"
NOISE["box_runs"] = "\n".join(R.choice(BOX) * R.randrange(1, 80) for _ in range(250))
NOISE["box_tables"] = "\n".join(
    "┌"
    + "─" * a
    + "┬"
    + "─" * b
    + "┐\n│"
    + "ab".ljust(a)
    + "│"
    + "state".ljust(b)
    + "│\n└"
    + "─" * a
    + "┴"
    + "─" * b
    + "┘"
    for a, b in ((R.randrange(3, 40), R.randrange(6, 40)) for _ in range(120))
)
NOISE["box_heavy"] = "\n".join(
    "┏"
    + "━" * a
    + "┳"
    + "━" * b
    + "┓\n┃"
    + "ab".ljust(a)
    + "┃"
    + "state".ljust(b)
    + "┃\n╠"
    + "═" * a
    + "╪"
    + "═" * b
    + "╣\n╰"
    + "╌" * a
    + "╯"
    for a, b in ((R.randrange(3, 40), R.randrange(6, 40)) for _ in range(120))
)
NOISE["box_random"] = "".join(chr(R.randrange(0x2500, 0x25FF)) for _ in range(2500))
NOISE["box_tree"] = "\n".join(
    "│   " * R.randrange(0, 5)
    + R.choice(["├── ", "└── "])
    + R.choice(["src", "main.py", "utils.ts", "README.md", "index.html", "über.txt"])
    for _ in range(500)
)
NOISE["blocks"] = "\n".join(
    "█" * a + "░" * (40 - a) + " %d%%" % (a * 2) for a in (R.randrange(0, 41) for _ in range(250))
)
NOISE["braille"] = lines(100, lambda: "".join(chr(0x2800 + R.randrange(256)) for _ in range(30)))
NOISE["arrows_math"] = " ".join(chr(R.randrange(0x2190, 0x22FF)) for _ in range(1500))
NOISE["currency_super"] = " ".join(
    R.choice("₹₽₿€£¥¢₩₪½⅓¼²³ⁿ₁₂①②Ⅷ™©®°µ§¶†‡•…–—“”‘’«»¿¡") for _ in range(1500)
)
NOISE["latex"] = lines(
    120,
    lambda: R.choice(
        [
            r"\frac{\partial^2 u}{\partial t^2} = c^2 \nabla^2 u",
            r"\begin{align} \int_{0}^{\infty} e^{-x^2}\,dx &= \frac{\sqrt{\pi}}{2} \\ \sum_{n=1}^{\infty} \frac{1}{n^{s}} &= \prod_{p} \left(1 - p^{-s}\right)^{-1} \end{align}",
            r"$\mathbb{E}_{x\sim p_\theta}\left[\log\frac{p_\theta(x)}{q_\phi(z\mid x)}\right] \leq \mathcal{L}(\theta,\phi;x)$",
            r"\usepackage[utf8]{inputenc}\newcommand{\norm}[1]{\left\lVert#1\right\rVert}",
            r"\cite{vaswani2017attention,devlin2019bert} \label{eq:loss} \ref{tab:results}",
            r"$\alpha_{ij}^{(k)}\hat{\beta}\bar{x}\tilde{\Gamma}\widehat{\Sigma}^{-1}\dot{q}\ddot{\phi}$",
        ]
    ),
)


def ts() -> str:
    """Return a time stamp."""
    return "2026-%02d-%02dT%02d:%02d:%02d.%03dZ" % (
        R.randrange(1, 13),
        R.randrange(1, 29),
        R.randrange(24),
        R.randrange(60),
        R.randrange(60),
        R.randrange(1000),
    )


NOISE["log_app"] = lines(
    200,
    lambda: (
        "%s %s [%s] %s: %s id=%s took %dms"
        % (
            ts(),
            R.choice(["INFO", "WARN", "ERROR", "DEBUG"]),
            R.choice(["main", "http-nio-8080-exec-%d" % R.randrange(9), "worker-3"]),
            R.choice(["c.e.shop.OrderService", "o.s.w.s.DispatcherServlet", "kafka.Consumer"]),
            R.choice(
                ["Committed offset", "connection reset by peer", "request handled", "retrying"]
            ),
            data(6).hex(),
            R.randrange(9000),
        )
    ),
)
NOISE["log_access"] = lines(
    200,
    lambda: (
        '%d.%d.%d.%d - - [10/Oct/2026:13:%02d:36 +0000] "GET /%s?q=%s HTTP/1.1" %d %d "-" "Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/%d.0"'
        % (
            *data(4),
            R.randrange(60),
            R.choice(["api/v2/items", "static/js/main.%s.chunk.js" % data(4).hex(), "favicon.ico"]),
            "".join(R.choice(LOW) for _ in range(5)),
            R.choice([200, 404, 500]),
            R.randrange(90000),
            R.randrange(90, 140),
            R.randrange(90, 140),
        )
    ),
)
NOISE["log_k8s"] = lines(
    200,
    lambda: (
        'I%04d %02d:%02d:%02d.%06d %7d %s.go:%d] "Pod status updated" pod="kube-system/%s-%s-%s" phase="%s"'
        % (
            R.randrange(1232),
            R.randrange(24),
            R.randrange(60),
            R.randrange(60),
            R.randrange(10**6),
            R.randrange(10**6),
            R.choice(["kubelet", "status_manager", "reconciler"]),
            R.randrange(2000),
            R.choice(["coredns", "nginx-ingress", "etcd"]),
            data(5).hex(),
            "".join(R.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5)),
            R.choice(["Running", "Pending"]),
        )
    ),
)
NOISE["stack"] = lines(
    150,
    lambda: (
        R.choice(
            [
                "\tat org.springframework.web.servlet.FrameworkServlet.processRequest(FrameworkServlet.java:%d)",
                '  File "/usr/lib/python3.11/site-packages/sqlalchemy/orm/session.py", line %d, in _autoflush',
                "    at Module._compile (node:internal/modules/cjs/loader:%d:14)",
                "#%d 0x00007ffff7a2d0b3 in __libc_start_main () from /lib/x86_64-linux-gnu/libc.so.6",
            ]
        )
        % R.randrange(3000)
    ),
)
NOISE["table_md"] = "| id | name | état | ratio |\n|----|:-----|------:|:--:|\n" + lines(
    150,
    lambda: (
        "| %d | %s | `%s` | %.3f |"
        % (
            R.randrange(10**5),
            R.choice(["alpha", "beta-two", "Gamma Ray"]),
            data(3).hex(),
            R.random(),
        )
    ),
)
NOISE["table_wide"] = "\n".join(
    "|" + "|".join(("-" * w if i % 3 == 1 else "cell").ljust(w) for w in (12, 30, 8, 50)) + "|"
    for i in range(150)
)
NOISE["csv"] = lines(
    200,
    lambda: (
        '%d,%s,"%s",%s,%.2f'
        % (
            R.randrange(10**6),
            R.choice(["Smith", "Nguyễn", "Ødegård", "Włodarczyk"]),
            R.choice(["Tōkyō", "São Paulo", "Zürich", "Kraków"]),
            ts(),
            R.random() * 1e4,
        )
    ),
)
NOISE["tsv"] = lines(
    200, lambda: "\t".join(str(R.randrange(10 ** R.randrange(1, 8))) for _ in range(8))
)
NOISE["urls"] = lines(
    150,
    lambda: (
        "https://%s.%s/%s/%s?%s=%s#%s"
        % (
            "".join(R.choice(LOW) for _ in range(8)),
            R.choice(["com", "io", "co.uk"]),
            R.choice(["wiki", "p", "a/b"]),
            "-".join(R.choice(["how", "to", "fix", "xyz", "segfault"]) for _ in range(5)),
            R.choice("abc"),
            data(5).hex(),
            R.choice(["top", "L%d" % R.randrange(999)]),
        )
    ),
)
NOISE["percent"] = lines(
    80, lambda: "".join("%%%02X" % x for x in R.choice(["é", "中文", "привет", "한"]).encode() * 5)
)
NOISE["escapes"] = lines(
    100,
    lambda: json.dumps(
        R.choice(["中文说明书", "Привет, мир", "naïve café", "日本語テキスト", "한국어 텍스트"]) * 3
    ),
)
NOISE["json_min"] = json.dumps(
    [
        {
            "id": data(4).hex(),
            "n": R.randrange(10**6),
            "ok": R.random() < 0.5,
            "tags": [R.choice(["a", "beta", "c_d"])] * R.randrange(3),
            "v": None,
        }
        for _ in range(150)
    ],
    separators=(",", ":"),
)
NOISE["json_esc"] = json.dumps(
    {"text": "\n\n".join('## H "q"\n\tpath\\to\\x \\n - item' for _ in range(100))}
)
NOISE["min_js"] = "".join(
    "function %s(%s,%s){return %s.%s?%s[%s]:!0}var %s=%s||{};"
    % tuple(
        R.choice(["e", "t", "n", "r", "o", "i", "a", "s"]) if k != 6 else R.randrange(999)
        for k in range(9)
    )
    for _ in range(120)
)
NOISE["ansi"] = lines(
    120,
    lambda: (
        "\x1b[%d;%dm%s\x1b[0m \x1b[38;5;%dmok\x1b[K"
        % (
            R.randrange(2),
            R.randrange(30, 48),
            R.choice(["PASS", "FAIL", "src/a.ts"]),
            R.randrange(256),
        )
    ),
)
NOISE["camel"] = " ".join(
    "".join(
        R.choice(
            [
                "get",
                "set",
                "User",
                "Xml",
                "HTTP",
                "Foo",
                "Zig",
                "Qux",
                "Token",
                "id",
                "DB",
                "v2",
                "Kubernetes",
                "Mgr",
                "Ctl",
            ]
        )
        for _ in range(R.randrange(2, 7))
    )
    for _ in range(800)
)
NOISE["glue"] = " ".join(
    "".join(
        R.choice(["the", "quick", "brown", "fox", "over", "lazy", "token", "budget", "write"])
        for _ in range(R.randrange(2, 8))
    )
    for _ in range(600)
)
NOISE["snake_rand"] = " ".join(
    "_".join(
        "".join(R.choice(LOW) for _ in range(R.randrange(1, 7))) for _ in range(R.randrange(2, 5))
    )
    for _ in range(600)
)
NOISE["caps_prose"] = " ".join(
    R.choice(
        [
            "NEVER",
            "COMMIT",
            "UNREVIEWED",
            "CHANGES",
            "ALWAYS",
            "VERIFY",
            "CHECKSUMS",
            "BEFORE",
            "DEPLOYMENT",
            "TO",
            "PRODUCTION",
            "ENVIRONMENTS",
            "ABBREVIATION",
            "GOBBLEDYGOOK",
            "ZEITGEIST",
        ]
    )
    for _ in range(900)
)
NOISE["words_digits"] = " ".join(
    "".join(R.choice(LOW) for _ in range(R.randrange(1, 6)))
    + str(R.randrange(10 ** R.randrange(1, 5)))
    + "".join(R.choice(LOW) for _ in range(R.randrange(0, 4)))
    for _ in range(900)
)
NOISE["apostrophes"] = " ".join(
    R.choice(["l'", "d'", "n'", "O'", "'"])
    + "".join(R.choice("aeioubcdlmnrst") for _ in range(5))
    + R.choice(["'s", "'", "’s", "'re", "'t"])
    for _ in range(900)
)
NOISE["dashes"] = "—".join(R.choice(["word", "a", "the", "Żółw"]) for _ in range(900))
NOISE["leet"] = " ".join(
    "".join(R.choice("4b(d3fgh1jklmn0pqr57uvwxyz") for _ in range(7)) for _ in range(700)
)
NOISE["dna"] = lines(100, lambda: "".join(R.choice("ACGT") for _ in range(70)))
NOISE["protein"] = lines(100, lambda: "".join(R.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(60)))
NOISE["morse"] = " ".join(
    "".join(R.choice(".-") for _ in range(R.randrange(1, 6))) for _ in range(1200)
)
NOISE["binary"] = " ".join("".join(R.choice("01") for _ in range(8)) for _ in range(600))
NOISE["chem"] = " ".join(
    "".join(
        R.choice(["C", "H", "O", "N", "Na", "Cl", "(OH)", "=", "1", "2", "3", "[C@@H]"])
        for _ in range(R.randrange(4, 16))
    )
    for _ in range(500)
)
NOISE["tibetan_rand"] = "".join(chr(R.randrange(0xF00, 0xFDA)) for _ in range(2000))
for _low, _high, _name in (
    (0x1200, 0x137F, "ethiopic"),
    (0x1400, 0x167F, "canadian"),
    (0x13A0, 0x13F5, "cherokee"),
    (0x1780, 0x17F9, "khmer"),
    (0x1000, 0x109F, "myanmar"),
    (0x1800, 0x18AA, "mongolian"),
    (0x0D80, 0x0DF4, "sinhala"),
    (0x0C00, 0x0C7F, "telugu"),
    (0xA000, 0xA48C, "yi"),
    (0x2D30, 0x2D7F, "tifinagh"),
    (0x0400, 0x04FF, "cyrillic"),
    (0x0370, 0x03FF, "greek"),
    (0x0530, 0x058F, "armenian"),
    (0x10A0, 0x10FF, "georgian"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"),
    (0x0700, 0x07BF, "syriac_thaana"),
    (0x07C0, 0x07FF, "nko"),
    (0x100, 0x24F, "latin_ext"),
    (0x1E00, 0x1EFF, "latin_add"),
    (0x250, 0x2FF, "ipa"),
    (0x4E00, 0x9FFF, "han"),
    (0xAC00, 0xD7A3, "hangul"),
    (0x3040, 0x30FF, "kana"),
    (0x900, 0x97F, "devanagari"),
    (0xE00, 0xE7F, "thai_lao"),
    (0x3400, 0x4DBF, "han_ext"),
    (0x1F00, 0x1FFF, "greek_ext"),
    (0x16A0, 0x16FF, "runic"),
    (0x12000, 0x12400, "cuneiform"),
):
    NOISE["rand_" + _name] = " ".join(
        "".join(chr(R.randrange(_low, _high)) for _ in range(R.randrange(2, 9))) for _ in range(300)
    )
