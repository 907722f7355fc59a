/** Hack: deletes all pods. */
import { ignoreMissing } from '#exam/fault-parts'
import type { Hack } from '#spec'

export const deleteAllPods: Hack = {
  name: 'delete-all-pods',
  about: 'Deletes every pod of the system',
  async act({ api, system: { namespace } }) {
    const { items } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace })
    for (const { metadata } of items)
      await ignoreMissing(api.delete({ apiVersion: 'v1', plural: 'pods', namespace, name: metadata.name }))
  },
}
