/** Tests kubectl with custom resources: definition, explain, columns, validation, scale and status. */
import { describe, expect, it } from 'vitest'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const definitionManifest = (group: string): string => `\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: fleets.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: fleets, singular: fleet, kind: Fleet, shortNames: [fl], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.ships
        statusReplicasPath: .status.ships
    selectableFields: [{jsonPath: .spec.home}]
    additionalPrinterColumns:
    - {name: Ships, type: integer, jsonPath: .spec.ships}
    - {name: Home, type: string, jsonPath: .spec.home, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A fleet of ships.
        properties:
          spec:
            type: object
            required: [ships]
            properties:
              ships: {type: integer, minimum: 0, maximum: 10, description: How many ships there are.}
              home: {type: string, default: harbour, pattern: '^[a-z]+$'}
              colour: {type: string, enum: [red, blue]}
            x-kubernetes-validations:
            - {rule: "self.ships < 10 || self.home == 'harbour'", message: big fleets stay in the harbour}
          status:
            type: object
            properties:
              ships: {type: integer}
`

const fleetManifest = (group: string, spec: string): string => `\
apiVersion: ${group}/v1
kind: Fleet
metadata: {name: north}
spec: ${spec}
`

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)
  const group = `test-${minor}.example.com`

  it('custom resources are defined, validated, changed and removed', async () => {
    const sh = await lab.open(kubectl, 'custom')
    expect(await sh('kubectl create -f -', definitionManifest(group))).toBe(
      `customresourcedefinition.apiextensions.k8s.io/fleets.${group} created\n`,
    )
    expect(await sh(`kubectl wait --for=condition=Established crd/fleets.${group} --timeout=30s`)).toContain(
      'condition met',
    )
    expect(await sh('kubectl get crds')).toMatch(
      new RegExp(`^NAME +CREATED AT\n[\\s\\S]*fleets\\.${group} +20`),
    )
    expect(await sh(`kubectl api-resources --api-group=${group}`)).toMatch(
      /^fleets +fl +\S+\/v1 +true +Fleet/m,
    )

    expect(await sh('kubectl apply -f -', fleetManifest(group, '{ships: 3}'))).toBe(
      `fleet.${group}/north created\n`,
    )
    expect(await sh('kubectl apply -f -', fleetManifest(group, '{ships: 3}'))).toBe(
      `fleet.${group}/north unchanged\n`,
    )
    expect(await sh(`kubectl get fleets.${group}`)).toMatch(/^NAME +SHIPS +AGE\nnorth +3 +\d+s\n$/)
    expect(await sh(`kubectl get fleets.${group} -o wide`)).toMatch(
      /^NAME +SHIPS +HOME +AGE\nnorth +3 +harbour +\d+s\n$/,
    )
    expect(await sh('kubectl get all -o name')).toContain(`fleet.${group}/north`)

    const explained = await sh(`kubectl explain fleets.spec --api-version=${group}/v1`)
    expect(explained).toMatch(/ships\s+<integer>/)
    expect(explained).toContain('How many ships there are.')

    const invalidFleet = fleetManifest(group, '{ships: 11, home: "B4", colour: green}')
    const error = await sh.expectFailure('kubectl apply -f - --validate=false', 1, invalidFleet)
    for (const line of [
      'The Fleet "north" is invalid:',
      '* spec.colour: Unsupported value: "green": supported values: "red", "blue"\n',
      `* spec.home: Invalid value: "B4": spec.home in body should match '^[a-z]+$'\n`,
      '* spec.ships: Invalid value: 11: spec.ships in body should be less than or equal to 10\n',
    ])
      expect(error).toContain(line)
    expect(
      await sh.expectFailure(
        'kubectl apply -f -',
        1,
        fleetManifest(group, '{home: harbour}').replace('north', 'south'),
      ),
    ).toMatch(/missing required field "ships"|spec\.ships: Required value/)
    expect(
      await sh.expectFailure('kubectl apply -f -', 1, fleetManifest(group, '{ships: 10, home: sea}')),
    ).toContain('big fleets stay in the harbour')
    expect(
      await sh.expectFailure('kubectl apply -f -', 1, fleetManifest(group, '{ships: 2, crew: 5}')),
    ).toMatch(minor < 25 ? /unknown field "crew"/ : /strict decoding error: unknown field "spec\.crew"/)

    expect(await sh(`kubectl scale fleets.${group} north --replicas=5`)).toBe(`fleet.${group}/north scaled\n`)
    expect(
      await sh(`kubectl get fleets.${group} north -o jsonpath="{.spec.ships} {.metadata.generation}"`),
    ).toBe('5 2')
    expect(
      await sh(
        `kubectl patch fleets.${group} north --type=merge -p '{"status":{"ships":9},"spec":{"home":"sea"}}'`,
      ),
    ).toContain('patched')
    expect(await sh(`kubectl get fleets.${group} north -o jsonpath="{.spec.home} {.status.ships}"`)).toBe(
      'sea ',
    )
    if (minor >= 24) {
      await sh(
        `kubectl patch fleets.${group} north --subresource=status --type=merge -p '{"status":{"ships":4},"spec":{"home":"lake"}}'`,
      )
      expect(await sh(`kubectl get fleets.${group} north -o jsonpath="{.spec.home} {.status.ships}"`)).toBe(
        'sea 4',
      )
    }
    expect(await sh.expectFailure(`kubectl patch fleets.${group} north -p '{"spec":{"ships":1}}'`)).toMatch(
      /application\/strategic-merge-patch\+json is not supported|accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
    )
    expect(await sh(`kubectl describe fleets.${group} north`)).toMatch(
      /Name: +north[\s\S]*Kind: +Fleet[\s\S]*Spec:\s+Home: +sea\s+Ships: +5/,
    )
    expect(await sh(`kubectl label fleets.${group} north sea=baltic`)).toContain('labeled')
    expect(
      await sh(`kubectl get fleets.${group} -l sea=baltic --field-selector metadata.name=north -o name`),
    ).toBe(`fleet.${group}/north\n`)

    expect(await sh(`kubectl get fleets.${group} --field-selector spec.home=sea -o name`)).toBe(
      `fleet.${group}/north\n`,
    )
    expect(await sh.expectFailure(`kubectl get fleets.${group} --field-selector spec.ships=5`)).toContain(
      'field label not supported: spec.ships',
    )

    expect(await sh(`kubectl delete crd fleets.${group}`)).toContain('deleted')
    expect(await sh.expectFailure(`kubectl get fleets.${group}`)).toMatch(
      /the server doesn't have a resource type|could not find the requested resource|Unable to list/,
    )
  })

  it('an invalid definition is rejected', async () => {
    const sh = await lab.open(kubectl, 'wrong')
    const otherGroup = `wrong-${group}`
    expect(
      await sh.expectFailure(
        'kubectl create -f -',
        1,
        definitionManifest(otherGroup).replace(`name: fleets.${otherGroup}`, 'name: ships.example.com'),
      ),
    ).toContain(`metadata.name: Invalid value: "ships.example.com": must be spec.names.plural+"."+spec.group`)
    expect(
      await sh.expectFailure(
        'kubectl create -f - --validate=false',
        1,
        definitionManifest(otherGroup).replace('type: object\n        description', 'description'),
      ),
    ).toMatch(/spec\.versions\[0\]\.schema\.openAPIV3Schema\.type: (Required|Invalid) value/)
  })
})
