/** Tests the format, the rotation and the reading of log files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, createRealClock, sleep } from '#kit'
import type { LogOptions } from '#platform/kube/ports'
import { createContainerLog } from './container-log.ts'

const realClock = createRealClock()
let folder: string
let now: number
const clock: Clock = { ...realClock, now: () => now }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
  now = Date.parse('2026-11-15T06:00:00.123Z')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const createLog = (fileBytes = 10 * 2 ** 20) =>
  createContainerLog({ folder, clock, limits: { fileBytes, files: 5 } })
const logOptions = (options: Partial<LogOptions> = {}): LogOptions => ({
  previous: false,
  follow: false,
  timestamps: false,
  ...options,
})
const bytes = (content: string): Buffer => Buffer.from(content)
const fileContents = (): string =>
  readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
/** Resolves with the next chunk. */
const nextChunk = (stream: Readable): Promise<string> =>
  new Promise((resolve) => stream.once('data', (chunk: Buffer) => resolve(chunk.toString())))

describe('the files', () => {
  it('have the format of the container runtime interface', async () => {
    const log = createLog()
    log.add('stdout', bytes('one\ntw'))
    log.add('stderr', bytes('oh\n'))
    log.add('stdout', bytes('o\nrest'))
    now += 1
    await log.end()
    expect(fileContents().split('\n')).toEqual([
      '2026-11-15T06:00:00.123000000Z stdout F one',
      '2026-11-15T06:00:00.123000001Z stderr F oh',
      '2026-11-15T06:00:00.123000002Z stdout F two',
      '2026-11-15T06:00:00.124000000Z stdout P rest',
      '',
    ])
    expect(await text(log.read(logOptions()))).toBe('one\noh\ntwo\nrest')
    expect(log.sizeBytes()).toBe(fileContents().length)
  })

  it('drop the carriage returns of terminals', async () => {
    const log = createLog()
    log.add('stdout', bytes('one\r\n\r\nt\rwo\r'))
    log.add('stdout', bytes('\nend\r'))
    await log.end()
    expect(await text(log.read(logOptions()))).toBe('one\n\nt\rwo\nend\r')
  })

  it('split long lines, which are read as one', async () => {
    const log = createLog()
    const long = 'x'.repeat(40_000)
    for (let at = 0; at < long.length; at += 7000) log.add('stdout', bytes(long.slice(at, at + 7000)))
    log.add('stdout', bytes('\nshort\n'))
    const lines = fileContents().trimEnd().split('\n')
    expect(lines.map((line) => [line[38], line.length - 40])).toEqual([
      ['P', 16_384],
      ['P', 16_384],
      ['F', 40_000 - 2 * 16_384],
      ['F', 5],
    ])
    expect(await text(log.read(logOptions()))).toBe(`${long}\nshort\n`)
    expect((await text(log.read(logOptions({ timestamps: true })))).match(/2026-/g)).toHaveLength(2)
    await log.end()
  })

  it('are rotated, and the oldest are removed', async () => {
    const log = createLog(1000)
    for (let line = 0; line < 200; line += 1) log.add('stdout', bytes(`line ${line}\n`))
    expect(readdirSync(folder)).toHaveLength(5)
    expect(log.sizeBytes()).toBeLessThan(6000)
    const read = (await text(log.read(logOptions()))).trimEnd().split('\n')
    expect(read.at(-1)).toBe('line 199')
    expect(read).toEqual(
      Array.from({ length: read.length }, (_, index) => `line ${200 - read.length + index}`),
    )
    await log.end()
  })

  it('keep binary data', async () => {
    const log = createLog()
    const binary = Buffer.from(Array.from({ length: 256 }, (_, index) => index)).subarray(11)
    log.add('stdout', Buffer.concat([binary, bytes('\n')]))
    const chunks = await log.read(logOptions()).toArray()
    expect(Buffer.concat(chunks).subarray(0, -1).equals(binary)).toBe(true)
    await log.end()
  })
})

describe('reading', () => {
  it('returns the tail across rotated files', async () => {
    const log = createLog(1000)
    for (let line = 0; line < 60; line += 1) log.add('stdout', bytes(`line ${line}\n`))
    for (const tailLines of [0, 1, 5, 19, 20, 21, 45]) {
      const lines = (await text(log.read(logOptions({ tailLines })))).split('\n').slice(0, -1)
      expect(lines).toEqual(Array.from({ length: tailLines }, (_, index) => `line ${60 - tailLines + index}`))
    }
    expect((await text(log.read(logOptions({ tailLines: 1000 })))).split('\n')).toHaveLength(61)
    expect(await log.tail({ bytes: 10, lines: 80 })).toBe('8\nline 59\n')
    expect(await log.tail({ bytes: 2048, lines: 2 })).toBe('line 58\nline 59\n')
    await log.end()
  })

  it('returns the tail of a file larger than a block', async () => {
    const log = createLog()
    for (let line = 0; line < 5000; line += 1) log.add('stdout', bytes(`${'.'.repeat(line % 97)}${line}\n`))
    const lines = (await text(log.read(logOptions({ tailLines: 4321 })))).replaceAll('.', '').split('\n')
    expect(lines).toHaveLength(4322)
    expect(lines[0]).toBe('679')
    await log.end()
  })

  it('supports sinceTime, timestamps and limitBytes', async () => {
    const log = createLog()
    log.add('stdout', bytes('early\n'))
    now += 1000
    log.add('stdout', bytes('late\n'))
    expect(await text(log.read(logOptions({ sinceTime: now })))).toBe('late\n')
    expect(await text(log.read(logOptions({ sinceTime: now - 1000 })))).toBe('early\nlate\n')
    expect(await text(log.read(logOptions({ sinceTime: now + 1 })))).toBe('')
    expect(await text(log.read(logOptions({ timestamps: true, tailLines: 1 })))).toBe(
      '2026-11-15T06:00:01.123000000Z late\n',
    )
    expect(await text(log.read(logOptions({ limitBytes: 8 })))).toBe('early\nla')
    expect(await text(log.read(logOptions({ limitBytes: 8, follow: true })))).toBe('early\nla')
    await log.end()
  })

  it('follows across rotation until the end', async () => {
    const log = createLog(1000)
    const followed = text(log.read(logOptions({ follow: true })))
    const written: string[] = []
    for (let line = 0; line < 300; line += 1) {
      log.add(line % 3 ? 'stdout' : 'stderr', bytes(`line ${line}\n`))
      written.push(`line ${line}\n`)
      if (line % 10 === 0) await sleep(realClock, 1)
    }
    await log.end()
    expect(await followed).toBe(written.join(''))
    expect(await text(log.read(logOptions({ follow: true, tailLines: 1 })))).toBe('line 299\n')
  })

  it('follows from the end', async () => {
    const log = createLog()
    log.add('stdout', bytes('before\n'))
    const stream = log.read(logOptions({ follow: true, tailLines: 0 }))
    const seen = nextChunk(stream)
    await sleep(realClock, 5)
    log.add('stdout', bytes('after\n'))
    expect(await seen).toBe('after\n')
    stream.destroy()
    await log.end()
  })

  it('stops at the current end if follow is not set', async () => {
    const log = createLog(1000)
    log.add('stdout', bytes('now\n'))
    const stream = log.read(logOptions())
    for (let line = 0; line < 100; line += 1) log.add('stdout', bytes('later\n'))
    expect(await text(stream)).toBe('now\n')
    await log.end()
  })

  it('fails with an error when the files are removed', async () => {
    const log = createLog()
    log.add('stdout', bytes('text\n'))
    rmSync(folder, { recursive: true })
    await expect(text(log.read(logOptions()))).rejects.toThrow('ENOENT')
    await log.end()
  })

  it('uses little memory with fast writers and slow readers', async () => {
    const log = createLog(2 ** 20)
    const stream = log.read(logOptions({ follow: true }))
    await nextChunk(stream.once('newListener', () => log.add('stdout', bytes('first\n'))))
    stream.pause()
    const line = bytes(`${'x'.repeat(1000)}\n`)
    const chunk = Buffer.concat(Array.from({ length: 60 }, () => line))
    const before = process.memoryUsage()
    for (let round = 0; round < 1000; round += 1) {
      log.add('stdout', chunk)
      if (round % 50 === 0) await sleep(realClock, 1)
    }
    const after = process.memoryUsage()
    expect(stream.readableLength).toBeLessThan(200_000)
    expect(after.rss - before.rss).toBeLessThan(40 * 2 ** 20)
    expect(log.sizeBytes()).toBeLessThan(6 * 2 ** 20)
    stream.destroy()
    await log.end()
  })
})
