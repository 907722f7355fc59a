/** Playbooks of run_playbook in a sandbox: vetted, run, and taken back where they fail or do harm and that is wanted. */
import { createPlaybookRunner } from '../playbook/index.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Remembered } from '../spec/index.ts'
import type { PlaybookReport, Playbooks } from './ports.ts'

type Request = Parameters<Playbooks['run']>[0]

/** Also where the time is up: it is the laboratory that does it, and the agent's end waits for that. */
const takeBack = async (
  { onEvent }: Request,
  remembered: Remembered,
): Promise<Pick<PlaybookReport, 'rolledBack'>> => {
  const rolledBack = await remembered.takeBack()
  onEvent({ type: 'playbook-rolled-back', objects: rolledBack })
  return { rolledBack }
}

/** The reasons of one whose changes could not be taken back are told, too. */
const explain = (error: unknown): string =>
  `what it had changed could not be taken back: ${error instanceof Error ? error.message : String(error)}`

/** As it is where nothing is to be taken back; where it ran to its end and did harm it counts as failed, with the reason. */
const judge = async (
  report: PlaybookReport,
  { rollback, signal }: Request,
  remembered: Remembered,
): Promise<PlaybookReport> => {
  if (!report.ok || rollback !== 'on-harm') return report
  const harmed = await remembered.findHarm(signal)
  if (harmed.length === 0) return report
  const reason = `it ran to its end, but these were ready before and did not become ready again: ${harmed.join(', ')}`
  return { ...report, ok: false, findings: [...(report.findings ?? []), reason] }
}

export const sandboxPlaybooks = (sandbox: Sandbox): Playbooks => {
  const runIt = ({ text, kubeconfig, namespace, signal, onEvent }: Request) =>
    createPlaybookRunner({ sandbox, kubeconfig, namespace }).run(text, {
      signal,
      onVetted: ({ findings, isRefused }) => onEvent({ type: 'playbook-vetted', findings, isRefused }),
      onTask: (result) => onEvent({ type: 'task-ended', ...result }),
    })
  const runOrTakeBack = async (request: Request, remembered: Remembered): Promise<PlaybookReport> => {
    const ran = await runIt(request)
    const report = ran.isRefused ? ran : await judge(ran, request, remembered)
    if (report.ok || ran.isRefused) return report
    try {
      return { ...report, ...(await takeBack(request, remembered)) }
    } catch (error) {
      return { ...report, findings: [...(report.findings ?? []), explain(error)] }
    }
  }
  return {
    async run(request) {
      if (request.rollback === 'never') return runIt(request)
      const remembered = await request.remember()
      try {
        return await runOrTakeBack(request, remembered)
      } finally {
        remembered.forget()
      }
    },
  }
}
