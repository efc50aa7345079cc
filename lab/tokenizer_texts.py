"""Writes src/engine/testing/tokenizerTexts.json: random texts of many scripts, and a checksum of what `tokenizers` makes of them.

python3 lab/tokenizer_texts.py ../shared/refdata    (pip install tokenizers==0.23.2)
"""

import json
import random
import sys
import zlib
from pathlib import Path

from tokenizers import Tokenizer

SCRIPTS = [
    "abcdefghijklmnopqrstuvwxyz the and of ", "ABCXYZ", "0123456789", "éüñçßøłžÅ", "ΕλλάδαΣς", "ПриветЁж", "שלוםעולם",
    "مرحبا٣٤", "नमस्तेक्ष", "漢字日本語", "カナかなー", "한국어", "ไทยภาษา", "👍🏽👨‍👩‍👧😀🇩🇪", "!?.,;:-_()[]{}'\"`~@#$%^&*+=|\\/<>",
    "«»—…“”’、。", "  \t\n\r\v\f\u0085\u00a0\u2003\u2028\u3000\u200b\ufeff", "½²①Ⅷ〇", "\u0301\u0308\u0327", "\x00\x01\x7f\ufffd\u00ad",
    "𝒳𐐀▁",
]
WORDS = ["'s", "'LL", " the", "don't", "<s>", "</s>", "<think>", "<|im_end|>", "<mask>", "[R]", "word", "\r\n", "    ", "12345", "e\u0301"]
TEXTS, GROUP = 60, 6


def text(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randint(2, 12)):
        script = rng.choice(SCRIPTS)
        parts.append("".join(rng.choice(script) for _ in range(rng.randint(1, 6))))
        if rng.random() < 0.25:
            parts.append(rng.choice(WORDS))
    return "".join(parts)


def checksums(tokenizer: Tokenizer, texts: list[str]) -> list[int]:
    """One for each group of texts: of their ids, and of the texts to which these decode."""
    lines = []
    for each in texts:
        ids = tokenizer.encode(each, add_special_tokens=False).ids
        lines.append(f"{','.join(map(str, ids))}|{tokenizer.decode(ids)}\n")
    groups = range(0, len(texts), GROUP)
    return [zlib.crc32("".join(lines[i : i + GROUP]).encode()) for i in groups]


root = Path(sys.argv[1])
rng = random.Random(40)
texts = [text(rng) for _ in range(TEXTS)]
expected = {}
for path in sorted(root.glob("**/tokenizer.json")):
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    expected[str(path.parent.relative_to(root))] = checksums(tokenizer, texts)
out = Path(__file__).parent.parent / "src/engine/testing/tokenizerTexts.json"
out.write_text(json.dumps({"group": GROUP, "texts": texts, "expected": expected}, indent=2) + "\n")
