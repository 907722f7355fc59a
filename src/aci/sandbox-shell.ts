/** The shell of exec_shell in a sandbox, with kubectl at hand. */
import type { Sandbox } from '../sandbox/index.ts'
import type { Shell } from './ports.ts'

/** Commands that name the kubeconfig by its usual place find it there; one that the agent has put there stays. */
const BEGIN =
  '{ mkdir -p ~/.kube && ln -s /input/kubeconfig ~/.kube/config; } 2> /dev/null; exec /bin/sh -c "$1"'

export const sandboxShell = (sandbox: Sandbox): Shell => ({
  async run({ command, kubeconfig, timeoutMs, signal }) {
    const { exitCode, stdout, stderr, trouble } = await sandbox.run({
      command: ['/bin/sh', '-c', BEGIN, 'sh', command],
      files: { kubeconfig },
      environment: { KUBECONFIG: '/input/kubeconfig', HOME: '/work', LANG: 'C.UTF-8' },
      limits: { timeoutMs },
      signal,
    })
    return { exitCode, stdout, stderr, ...(trouble === undefined ? {} : { trouble }) }
  },
})
