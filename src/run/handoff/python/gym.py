# Scores of reasoning-gym's tasks that are more than one text against another.


def score_exactly(given, truth, data, mode):
    return 1 if given == truth else 0


def score_stripped(given, truth, data, mode):
    return 1 if given.strip() == truth else 0


def score_folded(given, truth, data, mode):
    return 1 if given.strip().lower() == truth.strip().lower() else 0


def score_cube(given, truth, data, mode):
    return score_folded(given, truth, data, mode) or (0.01 if mode == "upstream" else 0)


def score_needle(given, truth, data, mode):
    return score_folded(given.replace(" ", "") if mode == "upstream" else given, truth, data, mode)


def score_lines(given, truth, data, mode):
    if mode == "strict":
        return score_folded(given, truth, data, mode)
    return 1 if given.lower().replace("\n", "") == truth.lower().replace("\n", "") else 0


def score_dice(given, truth, data, mode):
    return text_score(given, truth, mode) if mode == "strict" else score_lines(given, truth, data, mode)


def score_calendar(given, truth, data, mode):
    return text_score("" if units(given) > 100 else given.lower(), truth.lower(), mode)


def score_time(given, truth, data, mode):
    if truth == "":
        return 0
    text = ("" if units(given) > 100 else given).strip()
    return 1 if re.sub(r"\A1 day(?!s)", "1 days", text) == truth else 0


def evened(text):
    return "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))


def score_matrix(given, truth, data, mode):
    return text_score(evened(given[:MATRIX_CHARACTERS]), evened(truth), mode)


def score_spiral(given, truth, data, mode):
    text = given.strip()
    if given == "" or units(text) > MATRIX_CHARACTERS:
        return 0
    return 1 if text.split() == truth.split() else 0


MATRIX_CHARACTERS = 20_000


def probability(text):
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def score_probability(given, truth, data, mode):
    text = given.strip()
    if units(text) > 60 or re.fullmatch(r"[0-9]+/[0-9]+|[0-9]*\.?[0-9]+(e-[0-9]{1,3})?", text, re.IGNORECASE) is None:
        return 0
    found, wanted = probability(text), probability(truth)
    if found is None or wanted is None:
        return 0
    return 1 if abs(found - wanted) <= min(1e-4, 0.01 * wanted) else 0


def factors_of(text):
    return sorted(int(piece) for piece in text.split("×") if piece.strip() != "")


def score_factors(given, truth, data, mode):
    text = given.strip()
    if units(text) > 1000 or re.fullmatch(r"[0-9]{1,20}(?:[ \t\r\n]*×[ \t\r\n]*[0-9]{1,20})*", text) is None:
        return 0
    return 1 if factors_of(text) == factors_of(truth) else 0


def score_fraction(given, truth, data, mode):
    text = given.strip()
    text = "" if units(text) > 200 else re.sub(rf"[{JS_SPACE}]*([/{{}}$])[{JS_SPACE}]*", r"\1", text)
    above, below = data["simplified_numerator"], data["simplified_denominator"]
    forms = [f"{above}/{below}", f"${above}/{below}$", f"$\\frac{{{above}}}{{{below}}}$", f"$\\dfrac{{{above}}}{{{below}}}$"]
    return 1 if text in forms or text in [form.replace("$", "") for form in forms] else 0


def score_backward(given, truth, data, mode):
    expected = truth.lower()
    text = (given.strip() if mode == "strict" else given).lower()
    if text == expected:
        return 1
    total, right = 0, 0
    for letter, wanted in zip(text, expected):
        if letter == wanted:
            total += 1 / len(expected)
            right += 1
    if mode == "strict":
        return right / max(len(expected), len(text))
    return total - 0.2 if total == 1 else total


def score_order(given, truth, data, mode):
    if given == truth:
        return 1
    goal, words = truth.lower().split(), given.lower().split()
    if len(goal) != len(words):
        return 0 if mode == "strict" else 0.05
    if not goal:
        return 0 if mode == "strict" else 0.01
    if mode == "strict" and sorted(goal) != sorted(words):
        return 0
    return sum(1 for word, wanted in zip(words, goal) if word == wanted) / len(goal)


def score_sorted_words(given, truth, data, mode):
    wanted, words = data["sorted_words"], [word.strip() for word in given.split(",")]
    right = sum(1 for word, goal in zip(words, wanted) if word == goal)
    if mode == "strict":
        return right / max(len(wanted), len(words))
    share = right / len(wanted)
    return max(share, 0.2) if sorted(words) == sorted(wanted) else share


def score_board(given, truth, data, mode):
    """1 for the solution; part of the empty cells' share for a board in form that keeps what is given."""
    solution, puzzle = data["solution"], data.get("puzzle")
    size = len(solution)
    if units(given) > 2000:
        return 0
    board = []
    for line in given.strip().split("\n"):
        words = re.split(r"[ \t]+", line.strip())
        board.append([int(word) if re.fullmatch(r"[1-9]", word) else 0 for word in words])
    for row in board:
        if len(row) != size or len(set(row)) != size or min(row) < 1 or max(row) > size:
            return 0
    if len(board) != size:
        return 0
    empty = right = 0
    for y, digits in enumerate(solution):
        for x, digit in enumerate(digits):
            fixed = puzzle is not None and puzzle[y][x] > 0
            if fixed and board[y][x] != digit:
                return 0
            empty += not fixed
            right += not fixed and board[y][x] == digit
    return 1 if right == empty else right / empty * BOARD_PARTIAL


BOARD_PARTIAL = 0.9
ROLE_WORDS = set(
    "knight knave pioneer laggard saint sinner hero villain angel devil altruist egoist sage fool".split()
)


def role_words(text):
    return [word for word in re.sub(r"[.,()]", " ", text.lower()).split() if word not in ("is", "a", "an", "and")]


def role_pairs(words):
    found, name = set(), None
    for word in words:
        if word not in ROLE_WORDS:
            name = word
        elif name is not None:
            found.add((name, word))
            name = None
    return found


def score_roles(given, truth, data, mode):
    if given == "":
        return 0
    right, words = role_pairs(role_words(truth)), role_words(given)
    pairs = role_pairs(words)
    matches = len(pairs & right)
    if mode == "strict" and (len(words) != 2 * len(right) or len(pairs) != len(right) or {a for a, _ in pairs} != {a for a, _ in right}):
        return 0
    if len(pairs) != len(right):
        return 0
    if matches == len(right):
        return 1
    return 0 if matches == 0 else 0.3 + 0.7 * matches / len(right)


def lock_outcome(data, sequence, strictly):
    number, light = data["initial_value"], data["initial_state"]
    buttons = {button["name"]: button for button in data["buttons"]}
    for name in sequence:
        button = buttons.get(name)
        if button is None or button["active_state"] not in ("any", light):
            if strictly:
                return None
            continue
        kind, value = button["type"], button["value"]
        number = number + value if kind == "add" else number - value if kind == "subtract" else number * value if kind == "multiply" else number
        light = "green" if light == "red" else "red"
    return number


def score_lock(given, truth, data, mode):
    strictly, text = mode == "strict", given.strip()
    gap = rf"[{JS_SPACE}]*"
    if strictly and re.fullmatch(rf"[A-Z](?:{gap}(?:→|->|,){gap}[A-Z])*", text) is None:
        return 0
    letters = lambda value: re.sub(r"[^A-C]+", "", value.upper())
    pressed = re.sub(r"[^A-Z]+", "", text) if strictly else letters(given)
    wanted = letters(truth)
    if pressed == wanted:
        return 1
    if lock_outcome(data, pressed, strictly) != data["target_value"]:
        return 0
    return 1 if len(pressed) == len(wanted) else 0.5


def list_of(text):
    """The list that a text is, in Python's or JSON's way of writing; None where it is none."""
    for read in (ast.literal_eval, json.loads):
        try:
            value = read(text)
        except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, list):
            return value
    return None


def score_list(given, truth, data, mode):
    score = text_score(given, truth, mode)
    if mode == "upstream" or score == 1 or units(given) > LIST_CHARACTERS:
        return score
    found = list_of(given)
    return 1 if found is not None and all(isinstance(item, str) for item in found) and found == list_of(truth) else 0


def score_groups(given, truth, data, mode):
    found = list_of(given) if units(given) <= LIST_CHARACTERS else None
    for group in found or []:
        if not isinstance(group, list) or not all(isinstance(word, str) for word in group):
            return 0
    order = lambda groups: sorted((sorted(group) for group in groups), key=lambda group: group[0] if group else "")
    return 1 if order(found or []) == order(data["solution"]) else 0


def plain_decimal(value):
    """The number that an item of a list is, as text in plain digits or as a number; None for anything else."""
    if isinstance(value, str):
        return decimal_or_none(value) if re.fullmatch(r"[-+.e0-9]+", value.strip(), re.IGNORECASE) else None
    return decimal_or_none(repr(value)) if type(value) in (int, float) else None


def score_sorted_numbers(given, truth, data, mode):
    found, wanted = (list_of(given) if units(given) <= LIST_CHARACTERS else None), data["sorted_numbers"]
    if found is None or len(found) != len(wanted):
        return 0
    numbers = [plain_decimal(item) for item in found]
    return 1 if None not in numbers and numbers == [decimal_or_none(number) for number in wanted] else 0


LIST_CHARACTERS = 30_000


def score_bits(given, truth, data, mode):
    try:
        value = int(given, 0)
    except ValueError:
        return 0
    if mode == "strict" and re.fullmatch(r"-?0x[0-9a-f]+", given.strip(), re.IGNORECASE) is None:
        return 0
    return 1 if value == int(truth, 0) else 0


PATH_STEPS = {"right": (0, 1), "down": (1, 0), "left": (0, -1), "up": (-1, 0)}


def path_length(matrix, text):
    """How many words lead from * over open cells to #; None where they don't."""
    places = {mark: (y, x) for y, row in reversed(list(enumerate(matrix))) for x, mark in reversed(list(enumerate(row)))}
    if "*" not in places or "#" not in places:
        return None
    (y, x), words = places["*"], text.split()
    for word in words:
        if word not in PATH_STEPS:
            return None
        y, x = y + PATH_STEPS[word][0], x + PATH_STEPS[word][1]
        if not (0 <= y < len(matrix) and 0 <= x < len(matrix[y])) or matrix[y][x] == "X":
            return None
    return len(words) if (y, x) == places["#"] else None


def score_path(given, truth, data, mode):
    if given == "":
        return 0
    if given.strip() == truth.strip():
        return 1
    length = path_length(data["matrix"], given)
    return 0 if length is None else 1 if length == len(truth.split()) else 0.5


PLAIN_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?", re.IGNORECASE)


def score_number_format(given, truth, data, mode):
    text = given.strip().replace(",", "")
    if units(text) > 100 or PLAIN_NUMBER.fullmatch(text) is None:
        return 0
    return 1 if abs(float(text) - data["solution"]) < 5e-4 else 0


def plain_value(given, numbers):
    """Exact value of an expression of each of the numbers once, + - * /, signs and brackets; None for anything else."""
    text = given
    if len(text) > 1000 or re.fullmatch(rf"[0-9{JS_SPACE}()+\-*/]+", text) is None:
        return None
    if re.search(rf"\*[{JS_SPACE}]*\*|/[{JS_SPACE}]*/", text):
        return None
    if sorted(canonical_integer(number) for number in re.findall(r"[0-9]+", text)) != sorted(map(str, numbers)):
        return None
    try:
        return expression_value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def expression_value(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        value = expression_value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = expression_value(node.left), expression_value(node.right)
        operation = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}[type(node.op)]
        return operation(left, right)
    raise ValueError("no plain expression")


def score_countdown(given, truth, data, mode):
    value = plain_value(given.strip(), data["numbers"])
    return 0 if value is None else 1 if value == data["target"] else 0.05


def score_24(given, truth, data, mode):
    return 1 if plain_value(given.strip(), data["numbers"]) == 24 else 0


def score_palindrome(given, truth, data, mode):
    if given == "":
        return 0
    text = given.strip().lower()
    right = text == text[::-1] and sorted(text) == sorted("".join(data["letters"]))
    return 1 if right else 0


SCORES |= {name[len("score_") :]: score for name, score in list(globals().items()) if name.startswith("score_") and name != "score_digits"}
