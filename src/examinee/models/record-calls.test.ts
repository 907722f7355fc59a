/** Tests the owner of a recording that was made under sudo. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scriptedModel } from '#examinee/models/testing'
import { recordCalls } from './record-calls.ts'

test.skipIf(process.geteuid?.() !== 0)(
  'gives the recording, and the folders created for it, to the user who called sudo',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'record-calls-'))
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(home, { recursive: true })
    })
    vi.stubEnv('SUDO_UID', '1234')
    vi.stubEnv('SUDO_GID', '1235')
    const ownerOf = (...names: readonly string[]): number => statSync(join(home, ...names)).uid
    await recordCalls(scriptedModel(['one']), join(home, 'new', 'deep', 'calls.jsonl')).ask({ messages: [] })
    expect([ownerOf('new'), ownerOf('new', 'deep'), ownerOf('new', 'deep', 'calls.jsonl')]).toEqual([
      1234, 1234, 1234,
    ])
    await recordCalls(scriptedModel(['one']), join(home, 'calls.jsonl')).ask({ messages: [] })
    expect([ownerOf('calls.jsonl'), ownerOf('.')]).toEqual([1234, 0])
  },
)
