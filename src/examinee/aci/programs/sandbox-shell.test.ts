/** Tests of the environment in which exec_shell runs commands. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '#machine/sandbox'
import type { KubeApi } from '#spec'
import { sandboxShell } from './sandbox-shell.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sandbox-shell-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs commands without isolation, with a temporary home directory. */
const unconfinedSandbox = {
  async run({ command: [program, ...args], environment }) {
    const { status, stdout, stderr } = spawnSync(program!, args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment, HOME: home },
    })
    return { exitCode: status, stdout, stderr }
  },
} as Partial<Sandbox> as Sandbox

const runCommand = (command: string) =>
  sandboxShell(unconfinedSandbox).run({
    command,
    api: {} as KubeApi,
    kubeconfig: 'a-kubeconfig',
    namespace: 'shop',
    timeoutMs: 5000,
    signal: new AbortController().signal,
  })

it('links the kubeconfig to ~/.kube/config for every command', async () => {
  const expected = { exitCode: 0, stdout: '/input/kubeconfig\n', stderr: '' }
  expect(await runCommand('readlink ~/.kube/config')).toEqual(expected)
  expect(await runCommand('readlink ~/.kube/config')).toEqual(expected)
})

it('keeps a kubeconfig that a command has written, and passes on output and exit code', async () => {
  await runCommand('rm ~/.kube/config; echo mine > ~/.kube/config')
  expect(await runCommand('cat ~/.kube/config; echo "$0 $#" >&2; exit 3')).toEqual({
    exitCode: 3,
    stdout: 'mine\n',
    stderr: '/bin/sh 0\n',
  })
})
