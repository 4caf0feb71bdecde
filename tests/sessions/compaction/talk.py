"""Talk to summarise, and stand-ins for what writes summaries."""

from hypothesis import strategies as st

from ctx.model import Cluster, Draft, Prompt, SummaryError, Utterance

ODD = (
    "", " \n\t", "a", "ok", "Wow!", "?", "决", "🙂🙂", "👩‍👩‍👧", "\x00\x1b[31m\x7f", "```",
    "\ud800", "我们决定把缓存令牌的时间设为五分钟。天气很好！", "e\u0301" * 9,
    "नमस्ते दुनिया। फिर मिलेंगे।",
    "مرحبا بالعالم؟ نعم", "x = 1\n```py\nreturn x\n```", "word " * 90,
    "Dr. Smith paid 3.5 dollars. He left.",
)  # fmt: skip
TEXT = st.text(max_size=60) | st.sampled_from(ODD)
UTTERANCES = st.builds(Utterance, st.sampled_from(["Ann", "Bob", "", "user"]), TEXT)
CLUSTERS = st.builds(
    Cluster, st.lists(UTTERANCES, min_size=1, max_size=6), st.sampled_from(["", "Ann: ok.", *ODD])
)

TALK = Cluster(
    (
        Utterance(
            "Ann", "Hi Bob! How are you? I moved the parser to Rust in March, and it is fast."
        ),
        Utterance(
            "Bob", "Great! We still cache the tokens for 30 minutes, since Redis forgets them."
        ),
        Utterance("Ann", "Yes. The cache of tokens is what made the login slow in Berlin."),
        Utterance("Bob", "Then let us keep tokens for 5 minutes only. I will write the migration."),
        Utterance(
            "Ann", "Thanks! The migration has to be done before Friday, or Dana will be cross."
        ),
        Utterance("Bob", "Sure. Did you hear that the printer on floor 7 is broken again?"),
        Utterance("Ann", "No. Somebody should call the shop in Potsdam about the printer."),
    )
)
"""A talk of about 150 tokens."""
FAITHFUL = (
    "Ann moved the parser to Rust in March. Tokens in the cache made the login in Berlin slow, so"
    " Bob keeps them for 5 minutes and will write the migration before Friday. The printer on"
    " floor 7 is broken; somebody should call the shop in Potsdam."
)
"""What a good writer makes of it."""


class Says:
    """A summariser of somebody else, that says the same whatever it is asked."""

    model = "parrot"

    def __init__(
        self, text: str, mean_logprob: float | None = None, method: str = "abstractive"
    ) -> None:
        self._draft = Draft(text, mean_logprob)
        self.method = method
        self.limits: list[int] = []

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        assert cluster.utterances
        self.limits.append(limit)
        return self._draft


class Fails:
    method = "abstractive"
    model = "nobody"

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        raise SummaryError(f"nobody answers\n {limit > 0 and len(cluster.utterances)} times")


class Answers:
    name = "scribe@there"

    def __init__(self, text: str, mean_logprob: float | None = None) -> None:
        self._draft = Draft(text, mean_logprob)
        self.asked: list[Prompt] = []

    def ask(self, prompt: Prompt) -> Draft:
        self.asked.append(prompt)
        return self._draft
