/** Tests of the folder of a run: creation, resumption, torn files, locking. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { exampleManifest, exampleResult } from '#lab/testing'
import { openRunFolder, previewRun, readRun } from './run-folder.ts'

let home: string
let path: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'run-folder-'))
  path = join(home, 'runs', 'one')
})
afterEach(() => rmSync(home, { recursive: true }))

const open = (overrides = {}, options = {}) =>
  openRunFolder(path, { manifest: exampleManifest(overrides), commit: 'c1', ...options })

describe('a run folder', () => {
  it('keeps the manifest and the last result of each episode', () => {
    const first = open()
    first.add(exampleResult('a.1.1', { outcome: 'void', blame: 'harness' }))
    first.add(exampleResult('b.1.1'))
    first.add(exampleResult('a.1.1'))
    first.close()
    const again = open({ id: 'other', created: 5, command: 'again' })
    expect(again.manifest).toMatchObject({ id: 'r', created: 0 })
    expect(again.results.map(({ episode, outcome }) => `${episode} ${outcome}`)).toEqual([
      'b.1.1 resolved',
      'a.1.1 resolved',
    ])
    again.close()
    expect(readdirSync(path).sort()).toEqual(['manifest.json', 'records', 'results.jsonl'])
    // The folder contains the answers, which agents must not read.
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it.skipIf(process.geteuid?.() !== 0)('belongs to the user who called sudo', () => {
    vi.stubEnv('SUDO_UID', '1234')
    vi.stubEnv('SUDO_GID', '1235')
    const folder = open()
    folder.add(exampleResult('a.1.1'))
    folder.close()
    vi.unstubAllEnvs()
    for (const name of ['.', 'manifest.json', 'records', 'results.jsonl']) {
      const { uid, gid } = statSync(join(path, name))
      expect([name, uid, gid]).toEqual([name, 1234, 1235])
    }
  })

  it('keeps results with an unknown cost', () => {
    const { costUsd: _, ...metrics } = exampleResult('a.1.1').metrics
    const first = open()
    first.add(exampleResult('a.1.1', { metrics }))
    first.close()
    expect(readRun(path).results[0]!.metrics).toEqual(metrics)
  })

  it('keeps judgements that were not measured', () => {
    const judged = { 'users-served': null, 'nothing-broken': true, 'cause-gone': false }
    const first = open()
    first.add(exampleResult('a.1.1', { judged }))
    first.close()
    expect(readRun(path).results[0]!.judged).toEqual(judged)
  })

  it('drops a torn last line and unfinished records', () => {
    const first = open()
    first.add(exampleResult('a.1.1'))
    first.close()
    appendFileSync(join(path, 'results.jsonl'), '{"episode":"b.1')
    writeFileSync(join(path, 'records', 'b.1.1.jsonl.77.part'), '')
    expect(readRun(path).results).toHaveLength(1)
    const again = open()
    again.add(exampleResult('b.1.1'))
    again.close()
    expect(readFileSync(join(path, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(readdirSync(join(path, 'records'))).toEqual([])
  })

  it('removes unfinished records when it is closed', () => {
    const first = open()
    writeFileSync(join(path, 'records', 'a.1.1.jsonl.77.part'), '')
    first.close()
    expect(readdirSync(join(path, 'records'))).toEqual([])
  })

  it('is rejected in one sentence if it is not writable', () => {
    const error = {
      code: 'bad-argument',
      message: expect.stringContaining('cannot be created or written to.'),
    }
    for (const out of ['/proc', '/proc/x'])
      expect(() => openRunFolder(out, { manifest: exampleManifest(), commit: 'c1' })).toThrow(
        expect.objectContaining(error),
      )
    open().close()
    rmSync(join(path, 'records'), { recursive: true })
    writeFileSync(join(path, 'records'), '')
    expect(() => openRunFolder(path, { commit: 'c1' })).toThrow(expect.objectContaining(error))
  })

  it('is locked by one process', () => {
    const first = open()
    expect(() => open()).toThrow(`Another process uses the run in ${path}.`)
    first.close()
    open().close()
  })

  it.each([
    [{ epochs: 2 }, {}, 'has a different plan: other number of epochs.'],
    [
      { settings: { maxTokens: 5 } },
      {},
      'has a different plan: other settings: maxTokens is not set in the folder and 5 in the command.',
    ],
    [{ commit: 'c2' }, {}, 'was started with the commit "c1", not "c2".'],
  ])('is not resumed with %j', (overrides, options, sentence) => {
    open().close()
    expect(() => open(overrides, options)).toThrow(sentence)
    open().close()
  })

  it("is resumed with its own manifest, with and without MicroRemed's check", () => {
    open().close()
    const again = open({ settings: { checksLikeMicroRemed: true } })
    expect(again.manifest.settings).toEqual({})
    again.close()
  })

  it('is rejected with an error that names the setting that differs', () => {
    const settings = { external: 'x', externalFolder: '/a', deny: ['exec_shell'], price: '1,2' }
    open({ settings }).close()
    const other = { ...settings, externalFolder: '/b', deny: ['exec_shell', 'run_playbook'] }
    expect(() => open({ settings: other })).toThrow(
      'settings: deny is ["exec_shell"] in the folder and ["exec_shell","run_playbook"] in the command.',
    )
    const { price: _, ...without } = settings
    expect(() => open({ settings: without })).toThrow(
      'settings: price is "1,2" in the folder and not set in the command.',
    )
  })

  it('is not resumed if its external agent would start in another folder', () => {
    const settingsWith = (folder: string) => ({ settings: { external: 'x', externalFolder: folder } })
    open(settingsWith('/a')).close()
    expect(() => open(settingsWith('/b'))).toThrow(
      `The run in ${path} starts its external agent in /a, not in /b.`,
    )
    open(settingsWith('/a')).close()
  })

  it('is resumed in any folder if the manifest names no folder of the external agent', () => {
    open({ settings: { external: 'x' } }).close()
    const again = open({ settings: { external: 'x', externalFolder: '/b' } })
    expect(again.manifest.settings).toEqual({ external: 'x' })
    again.close()
  })

  it('is resumed with another commit if that is allowed, and without a plan', () => {
    open().close()
    open({ commit: 'c2' }, { anyCommit: true }).close()
    const again = openRunFolder(path, { commit: 'c1' })
    expect(again.manifest.problems).toHaveLength(2)
    again.close()
    expect(() => openRunFolder(path, { commit: 'c2' })).toThrow('was started with the commit')
  })

  it('is previewed without changes', () => {
    const options = { manifest: exampleManifest(), commit: 'c1' }
    expect(previewRun(path, options)).toEqual({ manifest: options.manifest, results: [] })
    expect(readdirSync(home)).toEqual([])
    const first = open()
    first.add(exampleResult('a.1.1'))
    first.close()
    expect(previewRun(path, options).results).toHaveLength(1)
    const other = { ...options, manifest: exampleManifest({ epochs: 2 }) }
    expect(() => previewRun(path, other)).toThrow('other number of epochs.')
    expect(() => previewRun(path, { commit: 'c2' })).toThrow('was started with the commit "c1", not "c2".')
  })

  it('is rejected with an error that names the invalid file and line', () => {
    expect(() => openRunFolder(path, { commit: 'c1' })).toThrow(`There is no run in ${path}.`)
    open().close()
    appendFileSync(join(path, 'results.jsonl'), '{"episode":5}\n')
    expect(() => open()).toThrow('results.jsonl, line 1: episode')
    writeFileSync(join(path, 'manifest.json'), '{"schema":7}')
    expect(() => readRun(path)).toThrow('manifest.json: schema')
    rmSync(join(path, 'manifest.json'))
    expect(() => open()).toThrow('contains other files: results.jsonl.')
  })

  it('leaves a folder with other files unchanged', () => {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'precious'), '')
    chmodSync(path, 0o1777)
    expect(() => open()).toThrow('contains other files: precious.')
    const options = { manifest: exampleManifest(), commit: 'c1' }
    expect(() => previewRun(path, options)).toThrow('contains other files: precious.')
    expect(statSync(path).mode & 0o7777).toBe(0o1777)
    expect(readdirSync(path)).toEqual(['precious'])
  })
})
