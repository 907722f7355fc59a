/** Draws actions of an agent: most are malformed, some run. */
import type { Random } from '#kit'
import { drawBrokenPlaybook, drawCommand, drawPlaybook } from './draw-playbook.ts'
import { drawText, drawValue, pick } from './draw-value.ts'

/** An action as the gym describes it. */
export interface KnownAction {
  readonly name: string
  /** The names of its fields. */
  readonly fields: readonly string[]
}

const drawInput = (random: Random, fields: readonly string[]): object =>
  Object.fromEntries(
    [...fields, drawText(random)]
      .filter(() => random.next() < 0.6)
      .map((field) => [field, drawValue(random, 2)]),
  )

/** `submit` would end the episode, so it gets only invalid inputs. */
const drawMalformed = (random: Random, actions: readonly KnownAction[]): unknown => {
  const { name, fields } = pick(random, actions)
  const wrong = { [`no-${drawText(random)}`]: drawValue(random) }
  return pick<() => unknown>(random, [
    () => drawValue(random),
    () => ({ name: drawValue(random), input: drawValue(random) }),
    () => ({ name: drawText(random), input: {} }),
    () => ({ name, input: { ...drawInput(random, fields), ...wrong } }),
    () => ({ name, input: { ...drawInput(random, fields), ...wrong } }),
    () => ({
      name,
      input: pick(
        random,
        [null, 1, 'text', [], drawValue(random)].map((each) => [each]),
      ),
    }),
  ])()
}

/** The share of actions that can change the system or pass its time. */
const RUNNING = 0.01
/** The share of playbooks among the other actions. */
const PLAYBOOKS = 0.2

export const drawAction = (random: Random, actions: readonly KnownAction[]): unknown => {
  if (random.next() < RUNNING)
    return pick<() => unknown>(random, [
      () => ({ name: 'run_playbook', input: { playbook: drawPlaybook(random) } }),
      () => ({ name: 'exec_shell', input: { command: drawCommand(random) } }),
      () => ({ name: 'get_objects', input: drawInput(random, ['kind', 'name', 'namespace']) }),
    ])()
  if (random.next() < PLAYBOOKS)
    return { name: 'run_playbook', input: { playbook: drawBrokenPlaybook(random) } }
  return drawMalformed(random, actions)
}
