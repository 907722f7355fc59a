/** Playbooks run by the real ansible-playbook: what comes back, and what is left behind. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createBoundedOutput } from '../kit/index.ts'
import { findAnsiblePlaybook } from './find-ansible.ts'
import { runPlaybook } from './run-playbook.ts'

const play = (...tasks: string[]): string =>
  ['- hosts: localhost', '  connection: local', '  tasks:', ...tasks.map((task) => `    - ${task}`), ''].join(
    '\n',
  )
/** What has ended and was not asked for by its parent has no command line any more. */
const isRunning = (pid: string): boolean =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
const foldersLeft = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('remedium-playbook-'))

describe.skipIf(findAnsiblePlaybook() === undefined)('a playbook', () => {
  it('runs with the kubeconfig at hand, and leaves nothing behind', async () => {
    const before = foldersLeft()
    const { ok, output } = await runPlaybook({
      text: play("debug: {msg: \"{{ lookup('file', lookup('env', 'K8S_AUTH_KUBECONFIG')) }}\"}"),
      kubeconfig: 'a-kubeconfig',
    })
    expect(output).toContain('a-kubeconfig')
    expect(ok).toBe(true)
    expect(foldersLeft()).toEqual(before)
  })

  it('that names facts has them, and has none where it wants none', async () => {
    const text = play('debug: {msg: "at {{ ansible_date_time.iso8601 }}"}')
    expect(await runPlaybook({ text, kubeconfig: '' })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/Gathering Facts[\s\S]*"at \d{4}-\d\d-\d\dT/),
    })
    const without = text.replace('  tasks:', '  gather_facts: false\n  tasks:')
    expect(await runPlaybook({ text: without, kubeconfig: '' })).toMatchObject({ ok: false })
  })

  it('that fails is told with what Ansible said', async () => {
    const { ok, output } = await runPlaybook({ text: play('fail: {msg: no luck}'), kubeconfig: '' })
    expect(output).toContain('no luck')
    expect(ok).toBe(false)
  })

  it('is ended with all that it began when time is up', async () => {
    const mark = join(tmpdir(), `playbook-test-${process.pid}`)
    try {
      const { ok, output } = await runPlaybook({
        text: play(`raw: 'echo $$ > ${mark}; sleep 60'`),
        kubeconfig: '',
        timeoutMs: 1500,
      })
      expect(output).toContain('it took longer than 1.5 s')
      expect(ok).toBe(false)
      expect(isRunning(readFileSync(mark, 'utf8').trim())).toBe(false)
    } finally {
      rmSync(mark, { force: true })
    }
  })

  it('that finds no place for its files is the fault of the machine', async () => {
    vi.stubEnv('TMPDIR', join(tmpdir(), `playbook-test-${process.pid}-missing`))
    try {
      await expect(runPlaybook({ text: play(), kubeconfig: '' })).rejects.toMatchObject({
        name: 'RemediumError',
        code: 'tool-failed',
        blame: 'environment',
        message: expect.stringContaining('A playbook could not be run (ENOENT'),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is not begun where the time is spent already', async () => {
    const { ok } = await runPlaybook({ text: play(), kubeconfig: '', signal: AbortSignal.abort() })
    expect(ok).toBe(false)
  })
})

describe('what a program says', () => {
  it('is kept in its beginning and its end', () => {
    const output = createBoundedOutput(4)
    for (const part of ['abcdef', 'gh', 'ijklm']) output.add(Buffer.from(part))
    expect(output.text()).toBe('abcd\n... 5 bytes left out ...\njklm')
  })

  it('is kept whole where it is short', () => {
    const output = createBoundedOutput(4)
    output.add(Buffer.from('abcdef'))
    expect(output.text()).toBe('abcdef')
  })
})
