import ctypes
import multiprocessing
import os
import signal
import sys
import threading

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lapwing.noise import source
from lapwing.noise.source import KEY_BYTES, REKEY_BYTES, SECURE, generation

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def from_child(fork, draw):
    """What ``draw`` gives, as bytes, in a child made by ``fork``."""
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.write(writer, draw())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


def test_kinds_and_sizes():
    assert SECURE.words(5).dtype == np.uint64
    assert SECURE.halfwords(5).dtype == np.uint16
    assert len(SECURE.words(0)) == 0
    assert len(SECURE.halfwords(12345)) == 12345
    assert SECURE.random_bits(0) == 0


@pytest.mark.parametrize("bits", [1, 7, 8, 9, 64, 65, 1000])
def test_random_bits_fill_their_range(bits):
    drawn = [SECURE.random_bits(bits) for _ in range(200)]
    assert all(0 <= value < 2**bits for value in drawn)
    assert {value >> (bits - 1) for value in drawn} == {0, 1}
    assert {value & 1 for value in drawn} == {0, 1}


def test_bits_are_balanced():
    bits = np.unpackbits(SECURE.words(50_000).view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert abs(bits - 0.5).max() < 6 * 0.5 / 50_000**0.5


def test_no_word_comes_twice_across_rekeying():
    count = 3 * REKEY_BYTES // 8
    small = np.concatenate([SECURE.words(n % 50) for n in range(count // 25)])
    words = np.concatenate([small, SECURE.words(count)])
    assert len(np.unique(words)) == len(words)


def test_stream_is_aes_ctr_and_the_next_key_comes_from_it(monkeypatch):
    key = bytes(range(KEY_BYTES))
    monkeypatch.setattr(os, "urandom", lambda n: key[:n])
    stream = source._Keystream()
    first = stream.take(REKEY_BYTES)
    after = stream.take(64)

    def keystream(key, count):
        return Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update(bytes(count))

    expected = keystream(key, REKEY_BYTES + KEY_BYTES)
    assert first == expected[:REKEY_BYTES]
    assert after == keystream(expected[REKEY_BYTES:], 64)


@needs_fork
def test_forked_children_and_their_parent_draw_different_words():
    SECURE.words(1)
    drawn = [from_child(os.fork, lambda: SECURE.words(4).tobytes()) for _ in range(3)]
    drawn.append(SECURE.words(4).tobytes())
    assert len(set(drawn)) == 4


@needs_fork
@pytest.mark.skipif(sys.platform != "linux", reason="calls the C library's fork")
def test_a_fork_that_python_did_not_see_is_noticed():
    SECURE.words(1)
    drawn = [from_child(ctypes.PyDLL(None).fork, lambda: SECURE.words(4).tobytes()) for _ in range(3)]
    drawn.append(SECURE.words(4).tobytes())
    assert len(set(drawn)) == 4


@needs_fork
def test_a_fork_is_noticed_even_if_the_child_has_its_parent_s_number(monkeypatch):
    # Process numbers are reused: a grandchild may have the number that its grandparent had.
    monkeypatch.setattr(os, "getpid", lambda: source._process.number)
    drawn = [from_child(os.fork, lambda: SECURE.words(4).tobytes()) for _ in range(3)]
    assert len(set(drawn)) == 3


@needs_fork
def test_generation_changes_in_children_only():
    before = generation()
    child = from_child(os.fork, lambda: str(generation()).encode())
    assert int(child) != before
    assert generation() == before


@needs_fork
def test_multiprocessing_workers_draw_different_words():
    SECURE.words(1)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        drawn = pool.map(SECURE.random_bits, [256] * 30, chunksize=1)
    assert len({*drawn, SECURE.random_bits(256)}) == 31


def test_threads_draw_different_words():
    drawn = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        drawn.extend(SECURE.words(1)[0] for _ in range(2000))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(drawn) == 16_000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_a_signal_handler_that_draws_gets_other_words():
    in_handler = []
    previous = signal.signal(signal.SIGALRM, lambda *_: in_handler.extend(SECURE.words(50)))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        outside = np.concatenate([SECURE.words(50) for _ in range(20_000)])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert in_handler
    words = np.concatenate([outside, np.array(in_handler)])
    assert len(np.unique(words)) == len(words)
