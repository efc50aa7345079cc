"""A peer of the benchmark in Python: `python serve.py torch` or `python serve.py trl`.

Each line of standard input is a request in JSON and is answered by one line of JSON, `{"answer": ...}` or `{"error": ...}`.
Requests: `start` (answered by a line on what it computes with), `prepare` with a workload (by values to compare, or null),
`run` (by a sample: wall and CPU seconds) and `dispose`.
"""

import importlib
import json
import os
import sys

# Whatever a library prints must not get between the answers.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

PEERS = {"torch": "torch_update", "trl": "trl_step"}


def main() -> None:
    peer = importlib.import_module(PEERS[sys.argv[1]])
    prepared = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = None
            if request["kind"] == "start":
                answer = peer.start(request["threads"])
            elif request["kind"] == "prepare":
                prepared = peer.prepare(request["workload"])
                answer = prepared.check
            elif request["kind"] == "run":
                answer = prepared.run()
            else:
                prepared = None
            reply = {"answer": answer}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=answers, flush=True)


main()
