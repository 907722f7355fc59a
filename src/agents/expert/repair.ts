/** Finds out what is wrong and mends it: the likeliest cause first, with the least that helps, and a look afterwards. */
import type { AgentStep } from '../../spec/index.ts'
import type { Conclusion } from './conclusion.ts'
import { describe, diagnoseAll } from './investigate.ts'
import { isFoundAgain, keyOf, onePerService, SURE } from './rank.ts'
import { isLabelled } from './read-report.ts'
import type { Hypothesis } from './runbook.ts'
import type { Situation } from './situation.ts'
import { lookAtUsers, lookForTrouble, waitUntilSettled } from './verify.ts'

const MOST_ROUNDS = 4
/** Steps below which nothing is begun any more. */
const RESERVE = 4
/** What it takes to find out what is wrong: everywhere, or in one named place. */
const DIAGNOSIS_STEPS = { everywhere: 14, named: 8 } as const
/** Milliseconds: trouble that passes by itself has passed by then. */
const PATIENCE_MS = 9500
/** Trouble that comes and goes is back by then. */
const LOOK_AGAIN_MS = 2000
const LOOKS_AGAIN = 3
/** What one such look takes at most. */
const LOOK_STEPS = 6
/** Milliseconds: what is young has not shown everywhere yet. */
const GATHERING_MS = 3000
/** Nothing is changed on less. */
const LIKELY = 0.5

type Steps<T> = AsyncGenerator<AgentStep, T, void>

/** Whether it is still so after a while; what has passed by itself is left alone, and what there is no room to look at has not. */
const isStillSo = async (situation: Situation, hypothesis: Hypothesis): Promise<boolean> => {
  const hasRoom = (): boolean => situation.actions.left() > RESERVE + LOOK_STEPS
  if (!hasRoom()) return true
  await situation.sleep(Math.max(LOOK_AGAIN_MS, PATIENCE_MS - situation.waited()))
  for (let look = 0; look < LOOKS_AGAIN && hasRoom(); look += 1) {
    if (look > 0) await situation.sleep(LOOK_AGAIN_MS)
    situation.world.forget()
    if (await isFoundAgain(situation.world, hypothesis)) return true
  }
  return false
}

/** Whether it was done and its pods have come. */
const act = async function* (situation: Situation, hypothesis: Hypothesis): Steps<boolean> {
  const { fix } = hypothesis
  if (fix === undefined) {
    yield { thought: `${hypothesis.claim} I do not know how to mend that from here.` }
    return false
  }
  yield { thought: fix.plan }
  const { ok, text } = await situation.actions.call('run_playbook', { playbook: fix.playbook })
  if (!ok) {
    yield { thought: `That did not go through: ${text.split('\n').slice(0, 2).join(' ').slice(0, 300)}` }
    return false
  }
  const isSettled = await waitUntilSettled(situation, fix)
  const who = fix.services.join(', ') || 'what I changed'
  yield {
    thought: isSettled
      ? `It went through, and ${who} is as it should be.`
      : `It went through, but ${who} has not come back in time.`,
  }
  return isSettled
}

/** What is worth acting on: all that stands by its own evidence, or else the likeliest. */
const chosen = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] => {
  const likely = onePerService(hypotheses.filter(({ score }) => score >= LIKELY))
  const sure = likely.filter(({ score }) => score >= SURE)
  return sure.length > 0 ? sure : likely.slice(0, 1)
}

/** A report that names several root causes is about all of them. */
const chosenFor = (situation: Situation, hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  isLabelled(situation.foci) ? onePerService(hypotheses).slice(0, situation.foci.length) : chosen(hypotheses)

/** Whether all of them were mended. */
const mend = async function* (situation: Situation, hypotheses: readonly Hypothesis[]): Steps<boolean> {
  let done = 0
  for (const hypothesis of hypotheses) {
    if (situation.actions.left() <= RESERVE) break
    yield { thought: describe(hypothesis) }
    const isNamed = isLabelled(situation.foci)
    if (hypothesis.mayPass && !isNamed && !(await isStillSo(situation, hypothesis))) {
      yield { thought: 'It has passed by itself. I change nothing.' }
      continue
    }
    if (yield* act(situation, hypothesis)) done += 1
  }
  return done === hypotheses.length
}

/** Whether what was done is known to be all: by elimination alone it is not. */
const isPlain = ({ runbook, type }: Hypothesis): boolean =>
  runbook !== 'sick-pod' || type !== 'misconfiguration'

/** Nothing explains what is seen, if anything is: it may show in a while. */
const isQuiet = async function* (situation: Situation): Steps<boolean> {
  const trouble = await lookForTrouble(situation)
  if (trouble.length === 0 && situation.waited() >= PATIENCE_MS) return true
  yield {
    thought:
      trouble.length === 0
        ? 'All pods are ready, and users are served. I look again in a while before I say so.'
        : `I see trouble (${trouble.slice(0, 2).join('; ')}) and no cause yet. I look again in a while.`,
  }
  await situation.sleep(4000)
  situation.world.forget()
  return false
}

export const repair = async function* (situation: Situation): Steps<Conclusion> {
  const isNamed = isLabelled(situation.foci)
  const tried = new Set<string>()
  const believed: Hypothesis[] = []
  if (!isNamed) await situation.sleep(GATHERING_MS)
  let note = 'Nothing was wrong that could be seen, and nothing was changed.'
  const least = RESERVE + DIAGNOSIS_STEPS[isNamed ? 'named' : 'everywhere']
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (round > 0 && situation.actions.left() < least) break
    const choice = chosenFor(situation, await diagnoseAll(situation, tried))
    if (choice.length === 0) {
      if (yield* isQuiet(situation)) break
      continue
    }
    believed.push(...choice)
    for (const one of choice) tried.add(keyOf(one))
    const isDone = yield* mend(situation, choice)
    note = choice.map(({ claim }) => claim).join(' ')
    if (isNamed && isDone && choice.length >= situation.foci.length && choice.every(isPlain)) break
    if (situation.actions.left() <= RESERVE + 3) break
    const trouble = await lookAtUsers(situation)
    if (trouble.length === 0) break
    yield { thought: `That was not all: ${trouble.slice(0, 3).join('; ')}. I go on to the next explanation.` }
  }
  return { detected: believed.length > 0, hypotheses: believed, note }
}
