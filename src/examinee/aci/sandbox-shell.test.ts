/** Tests of the environment of commands of exec_shell. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '#machine/sandbox'
import { sandboxShell } from './sandbox-shell.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sandbox-shell-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs commands without isolation, with a temporary home directory. */
const unconfined = {
  async run({ command: [program, ...args], environment }) {
    const { status, stdout, stderr } = spawnSync(program!, args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment, HOME: home },
    })
    return { exitCode: status, stdout, stderr }
  },
} as Partial<Sandbox> as Sandbox

const sh = (command: string) =>
  sandboxShell(unconfined).run({
    command,
    kubeconfig: 'a-kubeconfig',
    namespace: 'shop',
    timeoutMs: 5000,
    signal: new AbortController().signal,
  })

it('links the kubeconfig to ~/.kube/config for every command', async () => {
  const expected = { exitCode: 0, stdout: '/input/kubeconfig\n', stderr: '' }
  expect(await sh('readlink ~/.kube/config')).toEqual(expected)
  expect(await sh('readlink ~/.kube/config')).toEqual(expected)
})

it('keeps a kubeconfig that a command has written, and passes on output and exit code', async () => {
  await sh('rm ~/.kube/config; echo mine > ~/.kube/config')
  expect(await sh('cat ~/.kube/config; echo "$0 $#" >&2; exit 3')).toEqual({
    exitCode: 3,
    stdout: 'mine\n',
    stderr: '/bin/sh 0\n',
  })
})
