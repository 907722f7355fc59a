/** The shell of exec_shell in a sandbox, with kubectl at hand. */
import type { Sandbox } from '../sandbox/index.ts'
import type { Shell } from './ports.ts'

export const sandboxShell = (sandbox: Sandbox): Shell => ({
  async run({ command, kubeconfig, timeoutMs, signal }) {
    const { exitCode, stdout, stderr, trouble } = await sandbox.run({
      command: ['/bin/sh', '-c', command],
      files: { kubeconfig },
      environment: { KUBECONFIG: '/input/kubeconfig', HOME: '/work', LANG: 'C.UTF-8' },
      limits: { timeoutMs },
      signal,
    })
    return { exitCode, stdout, stderr, ...(trouble === undefined ? {} : { trouble }) }
  },
})
