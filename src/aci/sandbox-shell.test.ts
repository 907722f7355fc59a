/** What commands of exec_shell find where they begin. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox/index.ts'
import { sandboxShell } from './sandbox-shell.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sandbox-shell-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Without walls, at a home of its own. */
const open = {
  async run({ command: [program, ...args], environment }) {
    const { status, stdout, stderr } = spawnSync(program!, args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment, HOME: home },
    })
    return { exitCode: status, stdout, stderr }
  },
} as Partial<Sandbox> as Sandbox

const sh = (command: string) =>
  sandboxShell(open).run({
    command,
    kubeconfig: 'a-kubeconfig',
    namespace: 'shop',
    timeoutMs: 5000,
    signal: new AbortController().signal,
  })

it('have the kubeconfig in their home, in the first command and in later ones', async () => {
  const found = { exitCode: 0, stdout: '/input/kubeconfig\n', stderr: '' }
  expect(await sh('readlink ~/.kube/config')).toEqual(found)
  expect(await sh('readlink ~/.kube/config')).toEqual(found)
})

it('find one of their own where they have put it there, and their words and their end are theirs', async () => {
  await sh('rm ~/.kube/config; echo mine > ~/.kube/config')
  expect(await sh('cat ~/.kube/config; echo "$0 $#" >&2; exit 3')).toEqual({
    exitCode: 3,
    stdout: 'mine\n',
    stderr: '/bin/sh 0\n',
  })
})
