/** Tests the program `xenoncli` and its fast path. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const run = (
  kind: 'ts' | 'sh',
  words: readonly string[],
  port: number,
): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(`./xenoncli.${kind}`, import.meta.url))
    const env = { ...process.env, XENON_PORT: String(port) }
    execFile(kind === 'ts' ? process.execPath : 'bash', [path, ...words], { env }, (error, out) =>
      resolve({ code: Number(error?.code ?? 0), out }),
    )
  })

test('exits with 0 if xenon answers, with and without the fast path, and with 1 otherwise', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('OK\n')))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { port: number }
  for (const kind of ['ts', 'sh'] as const) {
    expect(await run(kind, ['xenon', 'ping'], port)).toEqual({ code: 0, out: 'OK\n' })
    expect(await run(kind, ['xenon', 'sing'], port)).toEqual({ code: 1, out: '' })
    expect(await run(kind, ['xenon', 'ping'], 1)).toEqual({ code: 1, out: '' })
  }
  server.close()
})
