import gc
import threading
import time

arena = []


def grow():
    while True:
        arena.extend([[], []] for _ in range(6000))
        gc.collect()
        time.sleep(0.005)


threading.Thread(target=grow, daemon=True).start()
