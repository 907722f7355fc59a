/** Tests how a process reads its files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ServiceSlice } from '#spec'
import { packReleases } from '#world/twin/ports'
import { processFiles } from '#world/twin/process'
import * as reading from './read-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'files-'))
afterAll(() => rmSync(folder, { recursive: true }))

const writeTestFile = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const readSlice = (path: string, pod: string) => reading.readSlice(processFiles, path, pod)

const createSlice = (service: string): ServiceSlice => ({
  system: 'test',
  service,
  release: '1',
  protocols: {},
  behaviour: { protocol: 'http' },
})

describe('readSlice', () => {
  it('returns a single service regardless of the name of the pod', () => {
    const path = writeTestFile('one.bin', packReleases([createSlice('geo')])[0]!)
    expect(readSlice(path, 'anything')).toEqual(createSlice('geo'))
  })

  it('returns the service of the pod if several share an image', () => {
    const several = ['user', 'user-timeline', 'geo'].map(createSlice)
    const path = writeTestFile('several.bin', packReleases([several])[0]!)
    expect(readSlice(path, 'user-timeline-5d4f-x').service).toBe('user-timeline')
    expect(readSlice(path, 'user-5d4f-x').service).toBe('user')
    expect(readSlice(path, 'geo').service).toBe('geo')
    expect(readSlice(path, 'rate-1').service).toBe('user')
  })

  it('reports a missing or damaged file', () => {
    expect(() => readSlice(join(folder, 'none'), 'x')).toThrow('no such file or directory')
    expect(() => readSlice(writeTestFile('bad.bin', '{"service":"geo"}'), 'x')).toThrow('bad.bin is damaged')
    expect(() => readSlice(writeTestFile('empty.bin', ''), 'x')).toThrow('empty.bin is damaged')
  })
})

describe('readConfig', () => {
  it('reads JSON, properties and text', () => {
    const config = reading.readConfig(processFiles, {
      json: { path: writeTestFile('a.json', '{"port": 7}'), format: 'json' },
      java: { path: writeTestFile('a.properties', '# note\na.b = 1\nc: x=y\n\nflag'), format: 'properties' },
      text: { path: writeTestFile('a.txt', 'hello\n'), format: 'text' },
    })
    expect(config).toEqual({ json: { port: 7 }, java: { 'a.b': '1', c: 'x=y', flag: '' }, text: 'hello\n' })
  })
})
