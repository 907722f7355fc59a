/** The action exec_shell. */
import { z } from 'zod'
import { RemediumError } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import { clip, MOST_LETTERS } from '../to-text.ts'

const DEFAULT_SECONDS = 30
const MOST_SECONDS = 300
const OUT_LETTERS = 4000
const ERR_LETTERS = 1500

const section = (title: string, text: string, most: number): string[] =>
  text.trim() === '' ? [] : [`${title}:`, clip(text.trimEnd(), most, 0.6)]

export const execShell = defineAction({
  name: 'exec_shell',
  about:
    'Runs a command in a POSIX shell, in a sandbox with kubectl, which is set up for the cluster and for the namespace ' +
    'of the system, and the usual tools (grep, awk, sed, python3 and others). Nothing but the API server can be ' +
    'reached; use kubectl exec to ask something from inside a pod. Files in the working folder stay for the next ' +
    'command. Do not start what does not end by itself (kubectl -f, --watch, edit). In tasks that only ask for an ' +
    'answer, kubectl can only read.',
  example: { command: 'kubectl get pods -o wide' },
  isReadOnly: false,
  input: z.strictObject({
    command: z.string().min(1).max(50_000),
    timeout_seconds: z.coerce
      .number()
      .positive()
      .max(MOST_SECONDS)
      .optional()
      .describe(`${DEFAULT_SECONDS} where absent, ${MOST_SECONDS} at most.`),
  }),
  async run({ shell, kubeconfig, briefing, signal }, { command, timeout_seconds = DEFAULT_SECONDS }) {
    if (shell === undefined) throw new RemediumError('defect', 'There is no shell for exec_shell.')
    const timeoutMs = timeout_seconds * 1000
    const outcome = await shell.run({ command, kubeconfig, namespace: briefing.namespace, timeoutMs, signal })
    const { exitCode, stdout, stderr, trouble } = outcome
    const isCut = stdout.length > OUT_LETTERS || stderr.length > ERR_LETTERS
    const text = [
      `exit code ${exitCode}${trouble === undefined ? '' : `; it was ended: ${trouble}`}`,
      ...section('stdout', stdout, OUT_LETTERS),
      ...section('stderr', stderr, ERR_LETTERS),
      ...(isCut
        ? ['The rest: pipe the output through grep, head, tail, or into a file that you read in parts.']
        : []),
    ].join('\n')
    return { ok: exitCode === 0, text: clip(text, MOST_LETTERS), data: { exitCode, stdout, stderr } }
  },
})
