/** Tests the export of spans over a Unix socket. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Span } from '#spec'
import { createSpanExporter } from './span-exporter.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('createSpanExporter', () => {
  const span = { name: 'x' } as unknown as Span

  it('sends batches once the socket is open, and counts dropped spans', async () => {
    const path = join(createFolder(), 'telemetry.sock')
    const exporter = createSpanExporter(path)
    cleanups.push(() => exporter.close())
    exporter.add(span)
    await expect.poll(() => exporter.dropped).toBe(1)
    const parts: Buffer[] = []
    const server = createServer((socket) => socket.on('data', (part) => void parts.push(part)))
    cleanups.push(() => server.close())
    await new Promise<void>((resolve) => server.listen(path, resolve))
    await expect
      .poll(() => {
        exporter.add(span)
        return parts.join('')
      })
      .toContain('\n')
    const [line = ''] = parts.join('').split('\n')
    expect(JSON.parse(line).spans[0]).toEqual(span)
  })
})
