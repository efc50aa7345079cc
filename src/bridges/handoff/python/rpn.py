# Arithmetic in reverse Polish notation: simplexity's boxed, correct and combined rewards.

RPN_WORD = re.compile(rf"<boe>|<eoe>|<pad>|[0-9]+|[^{JS_SPACE}]")
RPN_LONGEST_TEXT = 100_000


class RpnVocabulary:
    def __init__(self, p, operators):
        self.p = p
        self.words = [*map(str, range(p)), *operators, "=", "<boe>", "<eoe>", "<pad>"]
        self.equals = p + len(operators)
        self.boe, self.eoe = self.equals + 1, self.equals + 2
        self.ids = {word: i for i, word in enumerate(self.words)}

    def read(self, text):
        """Ids of a text's words, -1 for those that are none."""
        return [] if units(text) > RPN_LONGEST_TEXT else [self.ids.get(word, -1) for word in RPN_WORD.findall(text)]

    def is_operand(self, token):
        return 0 <= token < self.p

    def is_operator(self, token):
        return self.p <= token < self.equals

    def apply(self, operator, left, right):
        word = self.words[operator]
        return (left + right if word == "+" else left - right if word == "-" else left * right) % self.p


def rpn_tree(vocabulary, tokens):
    """(value, operations, None or (operator, left, right)); None for what is no expression."""
    stack = []
    for token in tokens:
        if vocabulary.is_operand(token):
            stack.append((token, 0, None))
            continue
        if len(stack) < 2 or not vocabulary.is_operator(token):
            return None
        right, left = stack.pop(), stack.pop()
        value = vocabulary.apply(token, left[0], right[0])
        stack.append((value, left[1] + right[1] + 1, (token, left, right)))
    return stack[0] if len(stack) == 1 else None


def rpn_agrees(before, after):
    if after[2] is None:
        return before[0] == after[0]
    if before[2] is None or before[2][0] != after[2][0]:
        return False
    return rpn_agrees(before[2][1], after[2][1]) and rpn_agrees(before[2][2], after[2][2])


def rpn_completion(vocabulary, text, tokens, ending):
    """The tokens themselves where they are of this vocabulary, else those of the text; with the end that the model made."""
    read = vocabulary.read(text)
    plain = lambda ids: [token for token in ids if token <= vocabulary.equals]
    native = tokens and all(token < len(vocabulary.words) for token in tokens) and plain(tokens) == plain(read)
    ids = list(tokens) if native else read
    if ending in ("eos", "stop") and vocabulary.eoe not in ids:
        ids.append(vocabulary.eoe)
    return ids


def rpn_place(sequence, token, last):
    if token not in sequence:
        return -1
    return len(sequence) - 1 - sequence[::-1].index(token) if last else sequence.index(token)


def rpn_answer(vocabulary, sequence, last):
    """What stands between "=" and <eoe>."""
    end = rpn_place(sequence, vocabulary.eoe, last)
    return sequence[end - 1] if end >= 2 and sequence[end - 2] == vocabulary.equals else None


def rpn_strict(vocabulary, expression, completion, truth):
    """(in form, right): every line follows from the one before."""
    answer = rpn_answer(vocabulary, completion, False)
    complexity = (len(expression) - 1) / 2
    if len(completion) > complexity * (complexity + 1) + 1:
        return False, False
    if not completion or completion[0] != vocabulary.equals or completion[-1] != vocabulary.eoe:
        return False, False
    lines = []
    for token in completion[:-1]:
        if token == vocabulary.equals:
            lines.append([])
        elif vocabulary.is_operand(token) or vocabulary.is_operator(token):
            lines[-1].append(token)
        else:
            return False, False
    if len(lines[-1]) != 1:
        return False, False
    trees = [rpn_tree(vocabulary, line) for line in lines]
    if None in trees:
        return False, False
    before, sound = rpn_tree(vocabulary, expression), True
    for tree in trees:
        sound = sound and before is not None and tree[1] < before[1] and rpn_agrees(before, tree)
        before = tree
    return True, sound and answer == truth


def grade_rpn(text, problem, task, ending, tokens):
    settings, data = task["settings"], problem["data"]
    vocabulary = RpnVocabulary(data["p"], data["operators"])
    expression, truth = vocabulary.read(data["expression"]), int(problem["answer"])
    completion = rpn_completion(vocabulary, text, tokens, ending)
    if task["mode"] == "strict":
        boxed, correct = rpn_strict(vocabulary, expression, completion, truth)
    else:
        answer = rpn_answer(vocabulary, [vocabulary.boe, *expression, *completion], settings["answer_before"] == "last")
        boxed, correct = answer is not None and vocabulary.is_operand(answer), answer == truth
    if settings["reward_type"] == "boxed":
        parts = {"boxed": int(boxed)}
    elif settings["reward_type"] == "correct":
        parts = {"correct": int(correct)}
    else:
        parts = {"boxed": settings["boxed_weight"] * boxed, "correct": settings["correct_weight"] * (boxed and correct)}
    return parts, correct, boxed
