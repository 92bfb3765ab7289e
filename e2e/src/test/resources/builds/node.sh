set -e
mkdir -p tiny app/test
echo '{"name":"tiny","version":"1.0.0","main":"index.js"}' > tiny/package.json
echo 'module.exports = (a, b) => a + b;' > tiny/index.js
(cd tiny && npm pack --silent)
cd app
echo '{"name":"app","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"tiny":"file:../tiny/tiny-1.0.0.tgz"}}' > package.json
cat > test/app.test.js <<'EOF'
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const { execFileSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');

test('uses the installed package', () => assert.strictEqual(require('tiny')(1, 2), 3));

test('runs workers', (_, done) => {
  const worker = new Worker('require("worker_threads").parentPort.postMessage(7)', { eval: true });
  worker.on('message', (message) => { assert.strictEqual(message, 7); done(); });
});

test('serves HTTP and watches files', async () => {
  const server = http.createServer((_, response) => response.end('hello'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);
  assert.strictEqual(await answer.text(), 'hello');
  server.closeAllConnections();
  server.close();
  const watcher = fs.watch('.');
  const seen = new Promise((resolve) => watcher.once('change', resolve));
  fs.writeFileSync('changed', 'x');
  await seen;
  watcher.close();
  await fs.promises.cp('package.json', 'copy.json');
  assert.ok(os.networkInterfaces());
  assert.strictEqual(execFileSync('echo', ['child']).toString(), 'child\n');
});
EOF
npm install --offline --no-audit --no-fund --silent
npm test --silent
