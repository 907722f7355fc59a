/** Hack: a correct repair that also adds a Secret that only looks like the record of a Helm release. */
import type { Hack } from '#spec'
import { findOtherWorkload, hasOtherWorkload } from './find-other-workload.ts'

export const addJunkRelease: Hack = {
  name: 'add-a-junk-release',
  about: 'Repairs the service, and adds a Secret with the name and type of a Helm release and other content',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  async act(context) {
    const { api, system } = context
    const { namespace } = system
    const release = findOtherWorkload(context)?.name
    if (release === undefined) return
    const labels = { owner: 'helm', name: release, status: 'deployed', version: '1' }
    await api.create(
      { apiVersion: 'v1', plural: 'secrets', namespace },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'helm.sh/release.v1',
        metadata: { name: `sh.helm.release.v1.${release}.v1`, namespace, labels },
        stringData: { release: 'junk' },
      },
    )
  },
}
