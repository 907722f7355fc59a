/** Tests of playbooks with the real ansible-playbook. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createBoundedOutput } from '#kit'
import { findAnsiblePlaybook } from './find-ansible.ts'
import { runPlaybook } from './run-playbook.ts'

const play = (...tasks: string[]): string =>
  ['- hosts: localhost', '  connection: local', '  tasks:', ...tasks.map((task) => `    - ${task}`), ''].join(
    '\n',
  )
/** A zombie process has no command line. */
const isRunning = (pid: string): boolean =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
const listPlaybookFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('remedium-playbook-'))

describe.skipIf(findAnsiblePlaybook() === undefined)('runPlaybook', () => {
  it('provides the kubeconfig, and leaves no files', async () => {
    const before = listPlaybookFolders()
    const { ok, output } = await runPlaybook({
      text: play("debug: {msg: \"{{ lookup('file', lookup('env', 'K8S_AUTH_KUBECONFIG')) }}\"}"),
      kubeconfig: 'a-kubeconfig',
    })
    expect(output).toContain('a-kubeconfig')
    expect(ok).toBe(true)
    expect(listPlaybookFolders()).toEqual(before)
  })

  it('gathers facts that are used, unless gather_facts is false', async () => {
    const text = play('debug: {msg: "at {{ ansible_date_time.iso8601 }}"}')
    expect(await runPlaybook({ text, kubeconfig: '' })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/Gathering Facts[\s\S]*"at \d{4}-\d\d-\d\dT/),
    })
    const withoutFacts = text.replace('  tasks:', '  gather_facts: false\n  tasks:')
    expect(await runPlaybook({ text: withoutFacts, kubeconfig: '' })).toMatchObject({ ok: false })
  })

  it('returns the output of a failed playbook', async () => {
    const { ok, output } = await runPlaybook({ text: play('fail: {msg: no luck}'), kubeconfig: '' })
    expect(output).toContain('no luck')
    expect(ok).toBe(false)
  })

  it('kills the playbook and its processes after the timeout', async () => {
    const pidFile = join(tmpdir(), `playbook-test-${process.pid}`)
    try {
      const { ok, output } = await runPlaybook({
        text: play(`raw: 'echo $$ > ${pidFile}; sleep 60'`),
        kubeconfig: '',
        timeoutMs: 6000,
      })
      expect(output).toContain('it took longer than 6 s')
      expect(ok).toBe(false)
      expect(isRunning(readFileSync(pidFile, 'utf8').trim())).toBe(false)
    } finally {
      rmSync(pidFile, { force: true })
    }
  })

  it('blames the environment if the temporary folder is missing', async () => {
    vi.stubEnv('TMPDIR', join(tmpdir(), `playbook-test-${process.pid}-missing`))
    try {
      await expect(runPlaybook({ text: play(), kubeconfig: '' })).rejects.toMatchObject({
        name: 'RemediumError',
        code: 'tool-failed',
        blame: 'environment',
        message: expect.stringContaining('The playbook could not be run (ENOENT'),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('does not start if the signal is already aborted', async () => {
    const { ok } = await runPlaybook({ text: play(), kubeconfig: '', signal: AbortSignal.abort() })
    expect(ok).toBe(false)
  })
})

describe('createBoundedOutput', () => {
  it('keeps the beginning and the end', () => {
    const output = createBoundedOutput(4)
    for (const part of ['abcdef', 'gh', 'ijklm']) output.add(Buffer.from(part))
    expect(output.text()).toBe('abcd\n... 5 bytes left out ...\njklm')
  })

  it('keeps short output completely', () => {
    const output = createBoundedOutput(4)
    output.add(Buffer.from('abcdef'))
    expect(output.text()).toBe('abcdef')
  })
})
