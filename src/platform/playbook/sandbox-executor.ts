/** Executes the playbooks of agents in a sandbox. */
import type { Sandbox } from '#machine/sandbox'
import type { AnsibleExecutor } from './run-ansible.ts'

const FOLDERS = { input: '/input', home: '/tmp' }
/** Links the kubeconfig to its default path, for tasks that use that path. */
const START_SCRIPT = `mkdir -p ${FOLDERS.home}/.kube && ln -s ${FOLDERS.input}/kubeconfig ${FOLDERS.home}/.kube/config && exec "$@"`

export const createSandboxExecutor = (sandbox: Sandbox): AnsibleExecutor => ({
  async run(toProgram, { timeoutMs, signal, onLine }) {
    const { command, files, environment } = toProgram(FOLDERS)
    const { exitCode, stdout, stderr, stoppedBy, failure, milliseconds } = await sandbox.run({
      command: ['/bin/sh', '-c', START_SCRIPT, 'sh', ...command],
      files,
      environment,
      folder: FOLDERS.home,
      limits: { timeoutMs },
      signal,
      onLine,
    })
    return {
      ok: exitCode === 0 && stoppedBy === undefined,
      output: [stdout, stderr].filter((part) => part.trim() !== '').join('\n'),
      failure,
      milliseconds,
    }
  },
})
