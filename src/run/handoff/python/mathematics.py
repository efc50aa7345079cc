# Answers in a box, compared as the Tinker cookbook's grader compares them: normal forms, then exact values.

MOST_DEPTH = 100


def boxed_answer(text):
    """Contents of the box whose closing brace comes last; without a braced one the word behind the first \\boxed."""
    openings, boxed = [], None
    for at, character in enumerate(text):
        if character == "{":
            openings.append(at)
        elif character == "}":
            if not openings:
                return None
            opening = openings.pop()
            if text.endswith("\\boxed", 0, opening):
                boxed = text[opening + 1 : at]
    if boxed is not None:
        return boxed
    found = re.search(r"\\boxed\s+([a-zA-Z0-9]+)", text)
    return found.group(1) if found else None


# LaTeX as text, as pylatexenc's latex2text writes what answers are made of.

MATRICES = {"array", "pmatrix", "bmatrix", "smallmatrix", "psmallmatrix", "bsmallmatrix"}
LATEX_MACRO = re.compile(r"\\(?:([a-zA-Z]+)\*?[ \t\n]*|([\s\S]?))")
LATEX_PLAIN = re.compile(r"[^\\{}&~]+")
LATEX_PLAIN_IN_BRACKETS = re.compile(r"[^\\{}\]&~]+")
LATEX_SPACE = re.compile(f"[{JS_SPACE}]*")
LATEX_NAME = re.compile(r"\{([^{}\\]*)\}")


class TooDeep(Exception):
    pass


def matrix_text(body):
    rows = [" ".join(cell.strip(JS_STRIPPED) for cell in row.split("   ")) for row in body.split("\n")]
    return f"[ {'; '.join(rows)} ]"


class LatexReader:
    def __init__(self, source):
        self.source, self.at = source, 0

    def match(self, pattern):
        found = pattern.match(self.source, self.at)
        if found:
            self.at = found.end()
        return found

    def here(self):
        return self.source[self.at : self.at + 1]

    def skip(self, character):
        found = self.here() == character
        self.at += found
        return found

    def text(self, closing, depth):
        if depth > MOST_DEPTH:
            raise TooDeep
        out = []
        while self.at < len(self.source):
            plain = self.match(LATEX_PLAIN_IN_BRACKETS if closing == "]" else LATEX_PLAIN)
            if plain:
                out.append(plain[0].replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”"))
                continue
            character = self.here()
            if character == closing:
                self.at += 1
                return "".join(out), True
            if character == "\\":
                if closing == "\\end" and self.source.startswith("\\end", self.at):
                    self.at += len("\\end")
                    self.match(LATEX_NAME)
                    return "".join(out), True
                out.append(self.macro(depth))
                continue
            self.at += 1
            if character == "{":
                out.append(self.text("}", depth + 1)[0])
            elif character == "&":
                out.append("   ")
            elif character == "~":
                out.append(" ")
            elif character != "}":
                out.append(character)
        return "".join(out), closing == ""

    def argument(self, depth):
        self.match(LATEX_SPACE)
        if self.here() in ("", "}"):
            return None
        if self.skip("{"):
            text, closed = self.text("}", depth + 1)
            return text if closed else None
        if self.here() == "\\":
            found = self.match(LATEX_MACRO)
            return LATEX_SYMBOLS.get(found[1] if found[1] is not None else found[2] or "", "")
        self.at += 1
        return self.source[self.at - 1]

    def macro(self, depth):
        found = self.match(LATEX_MACRO)
        name = found[1] if found[1] is not None else found[2] or ""
        if name in ("frac", "nicefrac"):
            above = self.argument(depth)
            below = None if above is None else self.argument(depth)
            return f"%s/%s{above or ''}" if below is None else f"{above}/{below}"
        if name == "sqrt":
            if self.skip("["):
                self.text("]", depth + 1)
            return f"√({self.argument(depth) or ''})"
        return self.environment(depth) if name == "begin" else LATEX_SYMBOLS.get(name, "")

    def environment(self, depth):
        found = self.match(LATEX_NAME)
        name = found[1] if found else ""
        if name == "array":
            if self.skip("["):
                self.text("]", depth + 1)
            if self.skip("{"):
                self.text("}", depth + 1)
        text, _ = self.text("\\end", depth + 1)
        return matrix_text(text) if name in MATRICES else text


def latex_to_text(formula):
    try:
        return LatexReader(formula).text("", 0)[0]
    except TooDeep:
        return None


# The two normal forms.


def inside_text(answer):
    body = answer[:-1] if answer.endswith("\n") else answer
    if not body.startswith("\\text{") or not body.endswith("}"):
        return None
    inside = body[len("\\text{") : -1]
    return None if inside == "" or "\n" in inside else inside


def braced_roots(text):
    head, *parts = text.split("\\sqrt")
    if "" in parts:
        return None
    return "\\sqrt".join([head, *(part if part.startswith("{") else f"{{{part[0]}}}{part[1:]}" for part in parts)])


def braced_fractions(text):
    head, *parts = text.split("\\frac")
    out = head
    for part in parts:
        if part == "":
            return None
        if part.startswith("{"):
            out += f"\\frac{part}"
            continue
        above, rest = part[0], part[1:]
        if rest == "":
            return text
        below = rest[0]
        out += f"\\frac{{{above}}}{rest if below == '{' else f'{{{below}}}{rest[1:]}'}"
    return out


def slash_to_fraction(text):
    found = re.fullmatch(r"(0|-?[1-9][0-9]*)/(0|-?[1-9][0-9]*)", text)
    if found is None or max(len(part.replace("-", "")) for part in found.groups()) > 4300:
        return text
    return f"\\frac{{{found[1]}}}{{{found[2]}}}"


def without_name(text):
    pieces = text.split("=")
    return pieces[1] if len(pieces) == 2 and len(pieces[0]) <= 2 else text


def canonical_latex(text):
    plain = text.replace("\n", "").replace("\\!", "").replace("\\\\", "\\").replace("tfrac", "frac").replace("dfrac", "frac")
    for gone in ("\\left", "\\right", "^{\\circ}", "^\\circ", "\\$"):
        plain = plain.replace(gone, "")
    value, *parts = plain.split("\\text{ ")
    if len(parts) > 1:
        return None
    dotted = value.replace("\\%", "").replace(" .", " 0.").replace("{.", "{0.")
    if dotted == "":
        return ""
    roots = braced_roots(without_name(f"0{dotted}" if dotted.startswith(".") else dotted))
    fractions = None if roots is None else braced_fractions(roots.replace(" ", ""))
    if fractions is None:
        return None
    return slash_to_fraction("\\frac{1}{2}" if fractions == "0.5" else fractions)


def normalize_latex(answer):
    trimmed = answer.strip()
    inside = inside_text(trimmed)
    bare = trimmed if inside is None else inside.strip()
    found = canonical_latex(bare)
    return bare if found is None else found


UNITS = [
    re.compile(rf"{unit}(?:es)?s? *(?:\^[0-9]+)?")
    for unit in "degree cm centimeter meter mile second minute hour day week month year foot feet inch yard".split()
]
GROUPING_COMMA = re.compile(r"(\d),(\d{3})(\Z|\D)")


def without_grouping(text):
    while True:
        after = GROUPING_COMMA.sub(r"\1\2\3", text)
        if after == text:
            return after
        text = after


def float_or_none(text):
    try:
        return float(text)
    except ValueError:
        return None


def is_whole(value):
    return value is not None and math.isfinite(value) and abs(value - math.floor(value + 0.5)) <= 1e-7


def is_whole_text(text):
    return is_whole(float_or_none(without_grouping(text)))


def latex_as_plain(text):
    plain = latex_to_text(text.replace("\\tfrac", "\\frac").replace("\\dfrac", "\\frac").replace("\\frac", " \\frac"))
    if plain is None:
        return text
    for sign, word in (("√", "sqrt"), ("π", "pi"), ("∞", "inf"), ("∪", "U"), ("·", "*"), ("×", "*")):
        plain = plain.replace(sign, word)
    return plain.strip()


def normalize_plain(answer):
    inside = inside_text(answer)
    text = answer if inside is None else inside
    for word, sign in (
        ("\\%", "%"), ("\\$", "$"), ("$", ""), ("%", ""), (" or ", " , "), (" and ", " , "),
        ("million", "*10^6"), ("billion", "*10^9"), ("trillion", "*10^12"),
    ):
        text = text.replace(word, sign)
    for unit in UNITS:
        text = unit.sub("", text)
    text = re.sub(r"\^ *\\circ", "", text)
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    text = re.sub(r",\\! *", "", text)
    value = float_or_none(text)
    if is_whole(value):
        text = str(int(math.floor(value + 0.5)))
    if "\\" in text:
        text = latex_as_plain(text)
    text = re.sub(r"([0-9]) +([0-9])", r"\1+\2", re.sub(r"- *", "-", text))
    text = text.replace(" ", "").replace("{", "").replace("}", "").lower()
    if not is_whole_text(text):
        return text
    return str(int(float_or_none(text.replace(",", "")) or 0))


def tuple_elements(text):
    plain = without_grouping(text)
    if plain == "":
        return []
    inside = plain[1:-1]
    brackets = "()[]"
    if inside and plain[0] in brackets and plain[-1] in brackets and not any(sign in inside for sign in brackets):
        return [part.strip() for part in inside.split(",")]
    return [plain]


# Exact sums of fractions times square roots times powers of π: {(radicand, power of π): fraction}.


class NoValue(Exception):
    """No number, or one beyond what is worked out."""


def bounded(value):
    for part in (value.numerator, value.denominator):
        if len(f"{abs(part):x}") * 4 > 40_000:
            raise NoValue
    return value


def surd(value):
    return {(1, 0): bounded(Fraction(value))} if value != 0 else {}


def surd_add(a, b):
    total = dict(a)
    for key, value in b.items():
        combined = total.get(key, 0) + value
        if combined == 0:
            del total[key]
        else:
            total[key] = bounded(combined)
    if len(total) > 50:
        raise NoValue
    return total


def surd_multiply(a, b):
    total = {}
    for (root, pi), value in a.items():
        for (other_root, other_pi), other in b.items():
            shared = math.gcd(root, other_root)
            key = (root // shared) * (other_root // shared), pi + other_pi
            total = surd_add(total, {key: bounded(value * other * shared)})
    return total


def surd_divide(a, b):
    if len(b) != 1:
        raise NoValue
    ((root, pi), value), = b.items()
    return surd_multiply(a, {(root, -pi): bounded(1 / (value * root))})


def as_fraction(a):
    if not a:
        return Fraction(0)
    return a[(1, 0)] if set(a) == {(1, 0)} else None


def surd_root(a):
    value = as_fraction(a)
    if value is None or value < 0:
        raise NoValue
    if value == 0:
        return {}
    outside, inside, rest, prime = 1, 1, value.numerator * value.denominator, 2
    while prime * prime <= rest:
        if prime > 50_000:
            raise NoValue
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        outside *= prime ** (count // 2)
        inside *= prime ** (count % 2)
        prime += 1
    return {(inside * rest, 0): bounded(Fraction(outside, value.denominator))}


def surd_power(base, exponent):
    wanted = as_fraction(exponent)
    if wanted is None or wanted.denominator != 1:
        raise NoValue
    size = abs(wanted.numerator)
    plain = as_fraction(base)
    if plain is None:
        if size > 20:
            raise NoValue
        result = surd(1)
        for _ in range(size):
            result = surd_multiply(result, base)
        return surd_divide(surd(1), result) if wanted < 0 else result
    longest = max(len(f"{abs(part):x}") * 4 for part in (plain.numerator, plain.denominator))
    if size > 40_000 // longest:
        raise NoValue
    if wanted < 0 and plain == 0:
        raise NoValue
    return surd(plain ** wanted.numerator)


VALUE_TOKEN = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|\*\*|sqrt|pi|[-+*/^()]")


def value_tokens(text):
    found, at = [], 0
    while at < len(text):
        match = VALUE_TOKEN.match(text, at)
        if match is None:
            raise NoValue
        found.append("**" if match[0] == "^" else match[0])
        at = match.end()
    return found


def number_value(token):
    whole, decimals, exponent = re.fullmatch(r"([0-9]*)\.?([0-9]*)(?:e([+-]?[0-9]+))?", token).groups()
    if re.fullmatch(r"0+[1-9][0-9]*", token):
        raise NoValue
    scale = float(exponent or "0") - len(decimals)
    if abs(scale) > 2000:
        raise NoValue
    return surd(Fraction(long_integer(whole + decimals)) * Fraction(10) ** int(scale))


def long_integer(digits):
    """int() of any length: Python refuses more than 4,300 digits at once."""
    value = 0
    for at in range(0, len(digits), 4000):
        part = digits[at : at + 4000]
        value = value * 10 ** len(part) + int(part)
    return value


class ValueReader:
    """Python's precedence; a factor right behind another is multiplied."""

    def __init__(self, parts):
        self.parts, self.at, self.depth = parts, 0, 0

    def whole(self):
        value = self.sum()
        if self.at < len(self.parts):
            raise NoValue
        return value

    def next(self):
        return self.parts[self.at] if self.at < len(self.parts) else ""

    def take(self, *wanted):
        token = self.next()
        if token not in wanted:
            return None
        self.at += 1
        return token

    def deeper(self, read):
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise NoValue
        value = read()
        self.depth -= 1
        return value

    def sum(self):
        value = self.product()
        while sign := self.take("+", "-"):
            following = self.product()
            value = surd_add(value, surd_multiply(surd(-1), following) if sign == "-" else following)
        return value

    def product(self):
        value = self.signed()
        while True:
            sign = self.take("*", "/")
            if sign:
                following = self.signed()
                value = surd_multiply(value, following) if sign == "*" else surd_divide(value, following)
                continue
            following = self.next()
            behind = self.at > 0 and self.parts[self.at - 1] in (")", "pi")
            if not (following[:1] in ("(", "s", "p") if following else False) and not (
                re.match(r"[0-9.]", following) and behind
            ):
                return value
            value = surd_multiply(value, self.raised())

    def signed(self):
        sign = self.take("+", "-")
        if sign is None:
            return self.raised()
        value = self.deeper(self.signed)
        return surd_multiply(surd(-1), value) if sign == "-" else value

    def raised(self):
        base = self.primary()
        return base if self.take("**") is None else surd_power(base, self.deeper(self.signed))

    def primary(self):
        if self.take("("):
            return self.bracketed()
        if self.take("pi"):
            return {(1, 1): Fraction(1)}
        if self.take("sqrt"):
            if self.take("(") is None:
                raise NoValue
            return surd_root(self.bracketed())
        token = self.next()
        self.at += 1
        if not re.match(r"[0-9.]", token):
            raise NoValue
        return number_value(token)

    def bracketed(self):
        value = self.deeper(self.sum)
        if self.take(")") is None:
            raise NoValue
        return value


def equal_expressions(a, b):
    if units(a) > 2000 or units(b) > 2000:
        return False
    try:
        first, second = ValueReader(value_tokens(a)).whole(), ValueReader(value_tokens(b)).whole()
        return surd_add(first, surd_multiply(surd(-1), second)) == {}
    except NoValue:
        return False


def is_fraction(text):
    return re.fullmatch(r"-?[0-9]+[^\n]?/0*[1-9][0-9]*[^\n]?\n?", text) is not None


def equal_elements(gold, given):
    if is_fraction(gold) and is_fraction(given):
        return gold == given
    if is_whole_text(gold) != is_whole_text(given):
        return False
    expression = f"({gold})-({given})"
    if re.search(r"\^\{|\^\(|\^[0-9]+\^|\^[0-9][0-9]", expression):
        return False
    letters = {c for c in expression.replace("sqrt", "").replace("frac", "") if unicodedata.category(c).startswith("L")}
    return len(letters) <= 2 and equal_expressions(gold, given)


def equal_values(gold, given):
    golds, givens = tuple_elements(gold), tuple_elements(given)
    if len(golds) != len(givens) or not golds:
        return False
    if len(golds) > 1 and (gold[0] != given[0] or gold[-1] != given[-1]):
        return False
    return all(equal_elements(element, other) for element, other in zip(golds, givens))


def same_answer(answer, gold):
    if answer is None:
        return False
    given = answer.strip() if units(answer) > 20_000 else answer
    if units(given) > 20_000:
        return False
    if normalize_latex(given) == normalize_latex(gold):
        return True
    plain_given, plain_gold = normalize_plain(given), normalize_plain(gold)
    return plain_given == plain_gold or (plain_given != "" and equal_values(plain_gold, plain_given))


def grade_boxed(text, problem, task, ending, tokens):
    answer = boxed_answer(text)
    correct = same_answer(answer, problem["answer"])
    form = answer is not None and not ending_fault(ending, task["settings"])
    return {"correct": 1 if correct else 0, "format": 0 if form else -task["settings"]["format_weight"]}, correct, form
