/** A revocable API: rejects calls once the budget of the solver is spent. */
import type { KubeApi } from '#spec'

/** When the signal aborts, calls reject with its reason and watches end. */
export const createRevocableApi = (api: KubeApi, signal: AbortSignal): KubeApi => {
  const watch: KubeApi['watch'] = async (...args) => {
    const stopWatch = await api.watch(...args)
    if (signal.aborted) stopWatch()
    else signal.addEventListener('abort', stopWatch, { once: true })
    return stopWatch
  }
  return new Proxy(api, {
    get(target, name) {
      const member = name === 'watch' ? watch : Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        signal.throwIfAborted()
        return Reflect.apply(member, target, args)
      }
    },
  })
}
