"""What the settings ``embedder``, ``rerank`` and ``summariser`` may hold.

No message quotes an address or a command: people put passwords and keys into them, and messages
end up in logs. Nothing heavy is imported here: settings are read at every start.
"""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import SplitResult, urlsplit

from ctx.errors import UsageError, install
from ctx.model import EmbeddingError, RerankError, SummaryError

GROUP = "ctx.embedders"  # the group of entry points by which other packages add embedders
OPENAI_KEY = "OPENAI_API_KEY"  # many people have set it; it is sent to ``OPENAI`` alone
OPENAI = "https://api.openai.com"
_NAME = re.compile(r"[a-zA-Z][\w.-]{0,63}", re.ASCII)  # the name of a scheme, or of an entry point
_COMMAND = "write command:PROGRAM ARGUMENTS, such as command:llm -m llama3.2"
# The first @ that an address follows: names of models hold @ and : themselves.
_MODEL_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)
_VERSION = re.compile(r"v\d\w*")  # a segment of a path: ``v1``, ``v1beta``, ``v4``
_PORTS = {"http": 80, "https": 443}

_Model = TypeVar("_Model")  # what a setting names: an embedder, a reranker or a writer


class Client(NamedTuple):
    """A part of ctx that asks a model, here or on a server."""

    setting: str  # the setting that holds the address: ``embedder``
    seconds: str  # the setting of how long one call may take: ``embed_seconds``
    error: type[Exception]  # raised, with one line, for what is wrong with a model or server
    key: str = ""  # the variable that holds the key for the address; empty for no server
    endpoint: str = ""  # the path below that of the interface: ``/embeddings``
    purpose: str = ""  # what a model has to be made for: ``embeddings``
    example: str = ""  # the name of such a model


EMBEDDING = Client(
    "embedder",
    "embed_seconds",
    EmbeddingError,
    key="CTX_EMBEDDER_KEY",
    endpoint="/embeddings",
    purpose="embeddings",
    example="nomic-embed-text",
)
SUMMARY = Client(
    "summariser",
    "summary_seconds",
    SummaryError,
    key="CTX_SUMMARISER_KEY",
    endpoint="/chat/completions",
    purpose="chat",
    example="llama3.2",
)
RERANKING = Client("rerank", "rerank_seconds", RerankError)


class Scheme(NamedTuple):
    """One kind of embedder or writer that comes with ctx."""

    form: str  # how the setting is written
    extra: str  # the extra of ctx-packet with its libraries; empty where it needs none
    check: Callable[[str], object] | None  # raises UsageError for an argument; None for none

    @property
    def takes_argument(self) -> bool:
        """Whether ``:ARGUMENT`` follows the name."""
        return self.check is not None


class Registry(NamedTuple, Generic[_Model]):
    """The schemes of a setting: modules of ``package`` with a function ``load``."""

    client: Client
    package: str
    nothing: str  # the value of the setting that asks for none of them
    schemes: Mapping[str, Scheme]
    others: bool = False  # whether other packages may add schemes

    @property
    def forms(self) -> tuple[str, ...]:
        """How the values of the setting are written."""
        return (self.nothing, *(scheme.form for scheme in self.schemes.values()))

    def check(self, spec: str) -> None:
        """Raise UsageError for a value that the setting cannot have.

        Looks at no file, no network, no installed package or program. The message never holds
        what follows the name of the scheme, where a password might be.
        """
        name, colon, argument = spec.partition(":")
        if name == self.nothing and not colon:
            return
        setting = self.client.setting
        if (scheme := self.schemes.get(name)) is None:
            if name == self.nothing or not (self.others and _NAME.fullmatch(name)):
                raise UsageError(f"{setting}: this names no {setting}", one_of(self.forms))
        elif scheme.check is not None:
            scheme.check(argument)
        elif colon:
            raise UsageError(f"{setting}: {name!r} takes no argument", one_of(self.forms))

    def load(self, spec: str, environ: Mapping[str, str], seconds: float) -> _Model | None:
        """Return what ``spec`` names, None for ``nothing``; raises as ``check``, or as it loads.

        Of ``environ`` only a key and the home directory are used, by a command all of it;
        ``seconds``, over 0, is the most that one call of the model may take.
        """
        self.check(spec)
        if spec == self.nothing:
            return None
        name, _, argument = spec.partition(":")
        scheme = self.schemes[name]
        try:
            load = import_module(f"{self.package}.{name}").load
        except ImportError as error:
            if (error.name or "").partition(".")[0] == "ctx":
                raise
            raise self.client.error(
                f"{self.client.setting} {name}: {error.name or 'a library'} is not installed,"
                f" or broken: {install(scheme.extra)}"
            ) from error
        made: _Model = load(argument, environ, seconds) if scheme.takes_argument else load()
        return made


def one_of(forms: tuple[str, ...]) -> str:
    """Return the hint that names ``forms``."""
    return "one of " + ", ".join(forms)


class Address(NamedTuple):
    """A model, and where to ask it."""

    model: str  # its name on the server
    origin: str  # scheme, host and port, the usual port left out: ``http://localhost:11434``
    path: str  # path of the interface, without a slash at its end: ``/v1``; empty for the root
    endpoint: str  # the path below that of the interface: ``/embeddings``

    @property
    def url(self) -> str:
        """The address that texts are sent to."""
        return f"{self.origin}{self.path}{self.endpoint}"

    @property
    def name(self) -> str:
        """The setting in its canonical form, which holds no secret."""
        return f"openai:{self.model}@{self.origin}{self.path}"


def address(argument: str, client: Client) -> Address:
    """Return the model and address in ``MODEL@URL``.

    The URL may be that of the server (``http://localhost:11434``), of its interface (``…/v1``)
    or of what ``client`` asks for (``…/v1/embeddings``). Raises UsageError for another form,
    and where the URL carries a user, a password, a query or a fragment.
    """
    who = client.setting
    form = f"write openai:MODEL@URL, such as openai:{client.example}@http://localhost:11434"
    match = _MODEL_AT_URL.fullmatch(argument)
    if match is None or not argument.isprintable() or " " in argument:
        raise UsageError(f"{who}: 'openai:' needs a model and an address", form)
    try:
        parts = urlsplit(match["url"])
        origin = _origin(parts)
    except ValueError:
        raise UsageError(f"{who}: the address after 'openai:' is not a URL", form) from None
    if "@" in parts.netloc:
        raise UsageError(
            f"{who}: the URL holds a user or password",
            f"put the key into the variable {client.key}",
        )
    if "?" in match["url"] or "#" in match["url"]:
        raise UsageError(
            f"{who}: the URL holds a query or fragment",
            f"name the address alone; a key belongs into the variable {client.key}",
        )
    path = _interface(parts.path, client.endpoint)
    return Address(match["model"], origin, path, client.endpoint)


def key(target: Address, environ: Mapping[str, str], client: Client) -> str:
    """Return the key for an address, or nothing; the client's error if no header can hold it."""
    names = (client.key, OPENAI_KEY) if target.origin == OPENAI else (client.key,)
    for name in names:
        found = environ.get(name, "").strip()
        if found and not (found.isascii() and found.isprintable() and " " not in found):
            # http.client would refuse it too, and quote it.
            raise client.error(f"{name} holds characters that no key has: set it again")
        if found:
            return found
    return ""


def _origin(parts: SplitResult) -> str:
    host, port = parts.hostname, parts.port
    if not host or parts.netloc.endswith(":"):
        raise ValueError
    if ":" in host:  # an address of IPv6
        host = f"[{host}]"
    usual = port is None or port == _PORTS[parts.scheme]
    return f"{parts.scheme}://{host}" if usual else f"{parts.scheme}://{host}:{port}"


def _interface(path: str, endpoint: str) -> str:
    """Return the path below which ``endpoint`` is, given any of the forms people paste."""
    path = path.rstrip("/")
    if path.endswith(endpoint):
        return path.removesuffix(endpoint)
    if any(_VERSION.fullmatch(segment) for segment in path.split("/")):
        return path
    return f"{path}/v1"


def directory(
    argument: str, environ: Mapping[str, str] | None = None, *, setting: str = EMBEDDING.setting
) -> str:
    """Return the path in ``local:PATH``, ``~/`` by ``environ``; UsageError for a relative one."""
    path = _from_home(argument, environ)
    if not os.path.isabs(path) or not argument.isprintable():
        raise UsageError(
            f"{setting}: 'local:' needs the whole path of a directory",
            "write local:/home/me/models/all-MiniLM-L6-v2 or local:~/models/…",
        )
    return os.path.normpath(path)


def words(argument: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """Return program and arguments in ``command:PROGRAM ARGUMENTS``, split as a shell does.

    No shell is asked: variables, patterns and pipes mean nothing. ``~/`` before the program is
    resolved where ``environ`` is given. Raises UsageError for a command that cannot be, and for
    a relative path: a repository from elsewhere must not bring the program that is run in it.
    """
    if not argument.isprintable():
        message = "summariser: the command holds characters that cannot be printed"
        raise UsageError(message, _COMMAND)
    try:
        found = split(argument, windows=os.name == "nt")
    except ValueError:
        raise UsageError("summariser: the command lacks the end of a quote", _COMMAND) from None
    program, *arguments = found or [""]
    if not program:
        raise UsageError("summariser: the command names no program", _COMMAND)
    program = _from_home(program, environ)
    if os.path.dirname(program) and not os.path.isabs(program):
        raise UsageError(
            "summariser: the path of the program is relative",
            "write the whole path, or the name of a program that is installed",
        )
    return [program, *arguments]


def split(argument: str, *, windows: bool) -> list[str]:
    """Return the words of a command, where a backslash quotes unless on Windows; or ValueError."""
    reader = shlex.shlex(argument, posix=True)
    reader.whitespace_split = True
    reader.commenters = ""
    if windows:
        reader.escape = ""
    return list(reader)


def _from_home(path: str, environ: Mapping[str, str] | None) -> str:
    """Return ``path`` with ``~/`` resolved; below the root where no ``environ`` is given."""
    if not path.startswith("~/"):
        return path
    if environ is None:
        return os.path.join(os.path.abspath(os.sep), path[2:])
    return os.path.join(environ.get("HOME") or environ.get("USERPROFILE") or "", path[2:])
