# The Tinker cookbook's addition: the last integer counts, and an answer in the wrong form loses the format's weight.


def grade_addition(text, problem, task, ending, tokens):
    correct = last_integer(text.replace(",", "")) == problem["answer"]
    form = not ending_fault(ending, task["settings"])
    return {"correct": 1 if correct else 0, "format": 0 if form else -task["settings"]["format_weight"]}, correct, form
