# SPDX-License-Identifier: BSD-3-Clause
"""A hash of what C++ sources say to a compiler: blind to comments, white space, names and where files stand.

Our own identifiers count by where they first occur among all the files together, so that a new name for a thing
changes nothing, and another thing at the same place does. Those of others (keywords, what is anywhere written as
std::…, Kokkos::… or cuda…, and what begins with two underscores) stand for themselves.
"""

import hashlib
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|\#[ \t]*(?:include[^\n]*|pragma[ \t]+once\b))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<rest>R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\.?\d(?:[eEpP][+-]|'?[\w.])*|.)""",
    re.VERBOSE | re.DOTALL)
QUALIFIED = re.compile(r"\b(?:std|Kokkos|KokkosBlas|KokkosBatched|Impl|Experimental)\s*::\s*([A-Za-z_]\w*)")
KEYWORDS = frozenset("""
    alignas alignof and asm auto bool break case catch char class co_await co_return co_yield concept const consteval
    constexpr constinit const_cast continue decltype default delete do double dynamic_cast else enum explicit export
    extern false final float for friend goto if inline int long mutable namespace new noexcept not nullptr operator or
    override private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
    unsigned using virtual void volatile wchar_t while xor define defined elif endif error ifdef ifndef pragma undef
    std Kokkos unroll blockIdx threadIdx blockDim gridDim
    """.split())


def tokens(text):
    """(is a name, token) of everything that is neither white space nor a comment nor an include."""
    return [(match.lastgroup == "name", match.group())
            for match in TOKEN.finditer(text) if match.lastgroup != "space"]


def _numbered(stream, foreign, numbers):
    """The tokens with our names replaced by numbers, which go on from those in `numbers`."""
    for is_name, token in stream:
        if not is_name or token in foreign or token.startswith(("__", "cuda")):
            yield token
        else:
            yield f"#{numbers.setdefault(token, len(numbers))}"


def token_hash(texts):
    """One hash of several sources, in whatever order they come."""
    foreign = KEYWORDS.union(*(QUALIFIED.findall(text) for text in texts))
    streams = [tokens(text) for text in texts]
    # Files in an order that follows from what is in them.
    streams.sort(key=lambda stream: "\n".join(_numbered(stream, foreign, {})))
    numbers, digest = {}, hashlib.sha1()
    for stream in streams:
        digest.update("\n".join(_numbered(stream, foreign, numbers)).encode() + b"\0")
    return digest.hexdigest()
