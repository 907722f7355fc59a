/** Repairs in the style of GitOps controllers, which apply manifests from a repository and add their own labels. */
import { mainContainer, workloadRef } from '#exam/fault-parts'
import { withNotes } from './notes.ts'
import type { RightRepair } from './right-repair.ts'
import { cleanManifest } from './targets.ts'

const argoSync: RightRepair = {
  name: 'sync-by-server-side-apply',
  about:
    'Applies the manifest on the server as Argo CD does, with its tracking annotation and instance label',
  faults: ['address-wrong'],
  // Server-side apply would not remove a variable that only the fault has set.
  fits: ({ system, target }) =>
    (mainContainer(system, target.service).env ?? []).some(
      ({ name, value }) => name === target.variable && value !== undefined,
    ),
  async act({ api, system, target }) {
    const { name, kind } = system.workloadOf(target.service)
    const manifest = withNotes(cleanManifest(system, target.service), {
      labels: { 'app.kubernetes.io/instance': system.name },
      annotations: {
        'argocd.argoproj.io/tracking-id': `${system.name}:apps/${kind}:${system.namespace}/${name}`,
        'argocd.argoproj.io/sync-wave': '1',
      },
    })
    const options = { fieldManager: 'argocd-controller', force: true }
    await api.patch(workloadRef(system, target.service), 'apply', manifest, options)
  },
}

const fluxReconcile: RightRepair = {
  name: 'reconcile-the-repository',
  about: 'Replaces the Deployment with its manifest, and adds the labels of Flux',
  faults: ['command-wrong', 'dns-misdirected'],
  async act({ api, system, target }) {
    const manifest = withNotes(cleanManifest(system, target.service), {
      labels: {
        'kustomize.toolkit.fluxcd.io/name': system.name,
        'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
      },
    })
    await api.update(workloadRef(system, target.service), manifest)
  },
}

export const GITOPS: readonly RightRepair[] = [argoSync, fluxReconcile]
