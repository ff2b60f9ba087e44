// A small server of static files, for the tests and for trying the page: `node web/tests/server.mjs
// [FOLDER] [PORT]`. The files are served below /some/path/ as well as below /.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** The sub-path below which the files are served, too. */
export const SUB_PATH = '/some/path/';

/** Serves a folder; answers with the server and the address of its root. */
export function serve(folder, port = 0) {
  const server = createServer(async (request, response) => {
    let path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    if (path.startsWith(SUB_PATH)) {
      path = path.slice(SUB_PATH.length - 1);
    }
    const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path));
    const found = await stat(file).catch(() => null);
    if (found === null || !found.isFile() || !file.startsWith(folder)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': found.size });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({ server, root: `http://127.0.0.1:${server.address().port}/` }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url));
  const { root } = await serve(folder, Number(process.argv[3] ?? 8080));
  console.log(`${folder} is served at ${root} and ${root.slice(0, -1)}${SUB_PATH}`);
}
