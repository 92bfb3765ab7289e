set -e
# Without pip: its installation takes most of the time, and some distributions package it separately.
python3 -m venv ${VENV_OPTIONS---without-pip} venv
. venv/bin/activate
[ -n "${VENV_OPTIONS---without-pip}" ] || pip --version
mkdir tests
cat > tests/test_runtime.py <<'EOF'
import asyncio, concurrent.futures, mmap, multiprocessing, os, selectors, shutil, socket, sqlite3
import subprocess, sys, tempfile, threading, unittest


def square(number):
    return number * number


class RuntimeTest(unittest.TestCase):
    def test_runs_in_the_environment(self):
        self.assertNotEqual(sys.prefix, sys.base_prefix)

    def test_process_pools(self):
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                self.assertEqual([0, 1, 4, 9], list(pool.map(square, range(4))))

    def test_shared_memory_and_locks(self):
        from multiprocessing import shared_memory
        block = shared_memory.SharedMemory(create=True, size=4096)
        block.buf[0] = 1
        block.close()
        block.unlink()
        with multiprocessing.Manager() as manager:
            self.assertEqual([1], list(manager.list([1])))

    def test_asyncio(self):
        async def main():
            async def serve(reader, writer):
                writer.write(await reader.readline())
                writer.close()

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"hello\n")
            self.assertEqual(b"hello\n", await reader.readline())
            writer.close()
            server.close()
            process = await asyncio.create_subprocess_exec("echo", "child", stdout=subprocess.PIPE)
            self.assertEqual(b"child\n", (await process.communicate())[0])

        asyncio.run(main())

    def test_sqlite(self):
        with tempfile.TemporaryDirectory() as folder:
            base = sqlite3.connect(os.path.join(folder, "base"))
            base.execute("pragma journal_mode=wal")
            base.execute("create table t(a)")
            base.execute("insert into t values(1)")
            base.commit()
            self.assertEqual([(1,)], base.execute("select a from t").fetchall())
            shutil.copytree(folder, folder + "-copy")

    def test_sockets(self):
        left, right = socket.socketpair()
        left.send(b"x")
        self.assertEqual(b"x", right.recv(1))
        self.assertTrue(socket.if_nameindex())
        left.close()
        right.close()


if __name__ == "__main__":
    unittest.main()
EOF
python -m unittest -q tests/test_runtime.py
