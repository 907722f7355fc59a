/** Runs one play on its only host: facts, blocks with rescue and always, handlers, and meta tasks. */
import { AnsibleError, messageOf, PlaybookAborted } from '../load/ansible-error.ts'
import type { Block, PlayNode, Task } from '../load/playbook-tree.ts'
import { isTrue } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { evaluateConditions } from './conditional.ts'
import { gatherFacts } from './facts.ts'
import { finishTask } from './finish-task.ts'
import { templarFor } from './host-state.ts'
import { PACE } from './pace.ts'
import { createTaskContext, type Ending, type PlayContext, type PlayRun, renderName } from './play-run.ts'
import { reportTask } from './report-task.ts'
import { runTask } from './run-task.ts'
import { META_ACTIONS, skippedMeta } from './skipped-meta.ts'

type Prefix = 'TASK' | 'RUNNING HANDLER'

const runOne = async (run: PlayRun, task: Task, prefix: Prefix): Promise<Ending> => {
  if (task.module === 'ansible.builtin.meta') return runMeta(run, task, prefix)
  const { options, state, play, output } = run
  output.task(renderName(run, task), prefix)
  const end = await runTask(run.tasks, task, templarFor(options, state, play, task))
  return finishTask(run, task, end)
}

const holds = ({ options, state, play, text }: PlayRun, task: Task): boolean => {
  try {
    return isTrue(
      evaluateConditions(task.inherited.when, templarFor(options, state, play, task), task.position),
    )
  } catch (error) {
    throw error instanceof AnsibleError ? new PlaybookAborted(messageOf(error, text)) : error
  }
}

const runMeta = async (run: PlayRun, task: Task, prefix: Prefix): Promise<Ending> => {
  const { output, state } = run
  const action = String(task.args._raw_params ?? '')
  output.task(renderName(run, task), prefix)
  if (!META_ACTIONS.has(action)) throw new UnsupportedPlaybook(`meta: ${action}`)
  if (action === 'noop') return 'ok'
  if (holds(run, task)) return action === 'flush_handlers' ? runHandlers(run) : 'ended'
  output.skipped(state.host)
  reportTask(run, task.name || task.action, 'skipped', skippedMeta(action, state.host))
  return 'ok'
}

const runHandlers = async (run: PlayRun): Promise<Ending> => {
  for (const handler of run.play.handlers) {
    if (!run.state.notified.has(handler)) continue
    const ending = await runOne(run, handler, 'RUNNING HANDLER')
    run.state.notified.delete(handler)
    if (ending !== 'ok') return ending
  }
  return 'ok'
}

const runNodes = async (run: PlayRun, nodes: readonly PlayNode[]): Promise<Ending> => {
  for (const node of nodes) {
    const ending = node.type === 'block' ? await runBlock(run, node) : await runOne(run, node, 'TASK')
    if (ending !== 'ok') return ending
  }
  return 'ok'
}

const runBlock = async (run: PlayRun, { block, rescue, always }: Block): Promise<Ending> => {
  if (rescue.length > 0) run.rescuers += 1
  let ending = await runNodes(run, block)
  if (rescue.length > 0) run.rescuers -= 1
  if (ending === 'failed' && rescue.length > 0) ending = await runNodes(run, rescue)
  if (ending === 'ended') return ending
  const last = await runNodes(run, always)
  return last === 'ok' ? ending : last
}

const gather = async ({ output, pace, state, stats, play, report }: PlayRun): Promise<void> => {
  output.task('Gathering Facts')
  await pace.sleep(PACE.taskMs + PACE.factsMs)
  state.facts = gatherFacts(pace.now())
  stats.ok += 1
  output.line(`ok: [${state.host}]`)
  report({ play: play.name, task: 'Gathering Facts', outcome: 'ok' })
}

/** Returns whether the host failed. */
export const runPlay = async (context: PlayContext): Promise<boolean> => {
  const run: PlayRun = { ...context, tasks: createTaskContext(context), rescuers: 0 }
  const { preTasks, tasks, postTasks } = run.play
  if (run.gathersFacts) await gather(run)
  for (const nodes of [preTasks, tasks, postTasks]) {
    const ending = await runNodes(run, nodes)
    if (ending !== 'ok') return ending === 'failed'
    const flushed = await runHandlers(run)
    if (flushed !== 'ok') return flushed === 'failed'
  }
  return false
}
