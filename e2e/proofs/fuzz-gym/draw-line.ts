/** Draws lines of the JSON-lines protocol that are no valid request. */
import type { Random } from '#kit'
import { drawLargeJson, drawText, drawValue, mutate, pick } from './draw-value.ts'

const METHODS = ['reset', 'step', 'score', 'close', 'problems', 'jump', '__proto__', 'constructor']
const VALID =
  '{"id": 1, "method": "step", "params": {"session": "none", "action": {"name": "submit", "input": {}}}}'

/** No request has a session that exists, so none has an effect. */
const drawRequest = (random: Random): object => ({
  id: pick<unknown>(random, [random.below(1000), 'id', null, {}, 'i'.repeat(300)]),
  method: pick(random, METHODS),
  params: pick<unknown>(random, [
    undefined,
    drawValue(random),
    { session: 'none', action: drawValue(random) },
    { problem: drawText(random) },
    { session: drawValue(random), seed: drawValue(random), problem: 'no such problem' },
    { requests: [drawValue(random), { problem: drawText(random), playbook: drawText(random) }] },
  ]),
  ...(random.next() < 0.1 ? { [drawText(random)]: drawValue(random) } : {}),
})

/** A valid reset would start an episode. */
const withoutReset = (text: string): string =>
  text.includes('"no such problem"') ? text : text.replaceAll('"reset"', '"start"')

/** The text has no line break, and is not blank: a blank line gets no reply. */
export const drawLine = (random: Random): string => {
  const text = pick(random, [
    () => JSON.stringify(drawRequest(random)),
    () => JSON.stringify(drawRequest(random)),
    () => JSON.stringify(drawRequest(random)),
    () => mutate(random, JSON.stringify(drawRequest(random))),
    () => mutate(random, VALID),
    () => JSON.stringify(drawValue(random)),
    () => drawText(random),
    () => (random.next() < 0.02 ? `{"id": 1, "method": "step", "params": ${drawLargeJson(random)}}` : '{'),
  ])()
  const line = withoutReset(text).replaceAll(/[\r\n]/g, ' ')
  return line.trim() === '' ? 'x' : line
}
