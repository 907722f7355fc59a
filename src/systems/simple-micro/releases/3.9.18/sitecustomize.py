import threading
import time

arena = []


def grow():
    while True:
        arena.append(bytearray(b"\x01") * (1 << 20))
        time.sleep(0.02)


threading.Thread(target=grow, daemon=True).start()
