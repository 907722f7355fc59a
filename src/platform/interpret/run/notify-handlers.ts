/** Notifies the handlers that a changed task names, or that listen for the name. */
import { PlaybookAborted } from '../load/ansible-error.ts'
import type { Result } from '../modules/module.ts'
import { pythonString } from '../python/python-text.ts'
import { type PlayContext, renderName } from './play-run.ts'
import { hasFlag } from './result-flags.ts'

export const notifyHandlers = (context: PlayContext, result: Result): void => {
  const { play, state } = context
  const items = Array.isArray(result.results) ? (result.results as Result[]) : [result]
  for (const { _ansible_notify: names } of items) {
    if (!Array.isArray(names) || !hasFlag(result, 'changed')) continue
    for (const name of names.map(pythonString)) {
      const named = play.handlers
        .toReversed()
        .find((handler) => handler.name !== '' && renderName(context, handler) === name)
      const listening = play.handlers.filter(({ listen }) => listen.includes(name))
      const found = [...(named === undefined ? [] : [named]), ...listening]
      if (found.length === 0)
        throw new PlaybookAborted(
          `The requested handler '${name}' was not found in either the main handlers list nor in the listening handlers list`,
        )
      for (const handler of found) state.notified.add(handler)
    }
  }
}
