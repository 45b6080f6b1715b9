#!/usr/bin/env python3
"""PyTorch peer of runs that several processes share: DistributedDataParallel over gloo.

    python ddp_bench.py --peers FOLDER --only tiny-transformer --processes 2 --accumulate 4 --threads 1

Each process computes accumulate / processes batches of every step; only the last one is
synchronised (no_sync for the others), as PyTorch's documentation has it. One JSON line:
tokens per second of all processes together, and the mean loss of the first and last step,
which does not depend on the number of processes.
"""
import argparse, contextlib, json, os, statistics, sys, time

def run(rank, a, w):
    import torch, torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    sys.path.insert(0, a.peers)
    import torch_bench
    torch_bench.torch = torch
    torch.set_num_threads(a.threads)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(a.port))
    dist.init_process_group("gloo", rank=rank, world_size=a.processes)
    torch.manual_seed(0)
    model = torch_bench.define_models()[w["kind"]](w, torch_bench.Init(w["seed"]))
    o = w["optimizer"]
    opt = torch.optim.Adam(model.parameters(), lr=o["lr"], betas=(o["beta1"], o["beta2"]), eps=o["eps"], fused=True)
    ddp = DistributedDataParallel(model) if a.processes > 1 else model
    own = range(rank, a.accumulate, a.processes)
    times, losses = [], []
    for step in range(a.warmup + a.steps):
        batches = [torch_bench.copy_batch(w, step * a.accumulate + place) for place in own]
        t0 = time.perf_counter()
        opt.zero_grad()
        total = torch.zeros(1)
        for place, (src, inp) in enumerate(batches):
            last = place + 1 == len(batches)
            quiet = contextlib.nullcontext() if last or a.processes == 1 else ddp.no_sync()
            with quiet:
                # DDP takes the mean over processes: of the sums of each, times the processes.
                loss = ddp(src, inp) / len(batches)
                loss.backward()
            total += loss.detach()
        opt.step()
        if a.processes > 1:
            dist.all_reduce(total)
        losses.append(total.item() / a.processes)
        times.append(time.perf_counter() - t0)
    seconds = statistics.median(times[a.warmup:])
    tokens = a.accumulate * w["batch"] * w["target_len"]
    if rank == 0:
        print(json.dumps({"peer": "torch-ddp-gloo", "workload": w["name"], "processes": a.processes,
            "accumulate": a.accumulate, "threads": a.threads, "ms_per_step": round(seconds * 1e3, 3),
            "tokens_per_s": round(tokens / seconds, 1), "loss_first": round(losses[0], 5),
            "loss_last": round(losses[-1], 5), "steps": a.steps, "warmup": a.warmup,
            "version": torch.__version__}), flush=True)
    dist.destroy_process_group()

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--peers", required=True, help="folder of workloads.json and torch_bench.py")
    ap.add_argument("--only", default="tiny-transformer")
    ap.add_argument("--processes", type=int, default=1)
    ap.add_argument("--accumulate", type=int, default=4, help="batches of a step, of all processes together")
    ap.add_argument("--threads", type=int, default=1, help="of each process")
    ap.add_argument("--steps", type=int, default=20); ap.add_argument("--warmup", type=int, default=3)
    ap.add_argument("--port", type=int, default=29511)
    a = ap.parse_args()
    if a.accumulate % a.processes:
        sys.exit(f"--accumulate {a.accumulate} is no multiple of --processes {a.processes}")
    with open(os.path.join(a.peers, "workloads.json")) as f:
        todo = {w["name"]: w for w in json.load(f)["workloads"]}
    if a.only not in todo or todo[a.only]["kind"] == "attention_layer":
        sys.exit(f"no such workload: {a.only}")
    import torch.multiprocessing as mp
    mp.spawn(run, (a, todo[a.only]), nprocs=a.processes)

if __name__ == "__main__": main()
