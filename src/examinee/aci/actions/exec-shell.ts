/** The action exec_shell. */
import { z } from 'zod'
import { RemediumError, TASKS, taskOf } from '#spec'
import { defineAction } from '../define-action.ts'
import { clip, MAX_CHARACTERS } from '../to-text.ts'

const DEFAULT_SECONDS = 30
const MAX_SECONDS = 300
const MAX_STDOUT_CHARACTERS = 4000
const MAX_STDERR_CHARACTERS = 1500

const ANSWER_TASKS = TASKS.filter((task) => !taskOf(task).repairs)

const formatSection = (title: string, text: string, maxCharacters: number): string[] =>
  text.trim() === '' ? [] : [`${title}:`, clip(text.trimEnd(), maxCharacters, 0.6)]

export const execShell = defineAction({
  name: 'exec_shell',
  about:
    'Runs a command with /bin/sh in a sandbox. The sandbox has kubectl and common tools (grep, awk, sed, python3 and ' +
    'others). kubectl is configured for the cluster, with the namespace of the system as its default. The only network ' +
    'address that the sandbox can reach is the API server; to send a request from inside the cluster, use kubectl exec. ' +
    'Files in the working directory are kept for later commands. Avoid commands that do not terminate on their own ' +
    '(kubectl logs -f, kubectl get --watch, kubectl edit): they run until the timeout. In tasks that only ask for ' +
    `answers (${ANSWER_TASKS.join(', ')}), kubectl has read-only access.`,
  example: { command: 'kubectl get pods -o wide' },
  isReadOnly: false,
  reach: 'pods',
  input: z.strictObject({
    command: z.string().min(1).max(50_000).describe('The shell command to run.'),
    timeout_seconds: z.coerce
      .number()
      .positive()
      .max(MAX_SECONDS)
      .optional()
      .describe(
        `Seconds after which the command is killed. Default: ${DEFAULT_SECONDS}; maximum: ${MAX_SECONDS}.`,
      ),
  }),
  async run({ shell, api, kubeconfig, briefing, signal }, { command, timeout_seconds = DEFAULT_SECONDS }) {
    if (shell === undefined) throw new RemediumError('defect', 'exec_shell was called without a shell.')
    const timeoutMs = timeout_seconds * 1000
    const { namespace } = briefing
    const outcome = await shell.run({ command, api, kubeconfig, namespace, timeoutMs, signal })
    const { exitCode, stdout, stderr, failure } = outcome
    const isTruncated = stdout.length > MAX_STDOUT_CHARACTERS || stderr.length > MAX_STDERR_CHARACTERS
    const text = [
      `exit code ${exitCode}${failure === undefined ? '' : `; the command was killed: ${failure}`}`,
      ...formatSection('stdout', stdout, MAX_STDOUT_CHARACTERS),
      ...formatSection('stderr', stderr, MAX_STDERR_CHARACTERS),
      ...(isTruncated
        ? [
            'Output truncated. To see more, filter it with grep, head or tail, or write it to a file and read that in parts.',
          ]
        : []),
    ].join('\n')
    return { ok: exitCode === 0, text: clip(text, MAX_CHARACTERS), data: { exitCode, stdout, stderr } }
  },
})
