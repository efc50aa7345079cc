"""A peer of the benchmark in Python: `python serve.py torch` or `python serve.py trl`.

Each line of standard input is a request in JSON and is answered by one line of JSON, `{"answer": ...}` or `{"error": ...}`.
Requests: `start` with threads, device and TF32 (answered by a line on what it computes with), `prepare` with a workload (by values to compare, or null),
`run` (by a sample: wall and CPU seconds) and `dispose`.
"""

import importlib
import json
import os
import sys

# Ours has one GPU, too.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
# Whatever a library prints must not get between the answers.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

PEERS = {"torch": "torch_update", "torch tf32": "torch_update", "trl": "trl_step"}


def main() -> None:
    device = importlib.import_module("device")
    peer = importlib.import_module(PEERS[sys.argv[1]])
    prepared = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = None
            if request["kind"] == "start":
                answer = peer.start(request["threads"], device.choose(request["device"], request["tf32"]))
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
