/** The key that a form uses: the chosen one, else the default one, else the first of the list. */
export function keyFor<Key extends { id: string; is_default: boolean }>(
  sshKeys: readonly Key[],
  chosenId: string,
): Key | undefined {
  return (
    sshKeys.find(({ id }) => id === chosenId) ?? sshKeys.find((sshKey) => sshKey.is_default) ?? sshKeys[0]
  )
}
