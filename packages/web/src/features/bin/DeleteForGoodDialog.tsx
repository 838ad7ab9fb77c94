import { type BinItem, binNouns } from '@slipway/contract'
import { useDeleteForGood } from '../../api/bin.ts'
import { ForGoodQuestion } from './ForGoodQuestion.tsx'

/** Before something in the bin of a project is deleted for good. */
export function DeleteForGoodDialog({ item, onClose }: { item: BinItem; onClose: () => void }) {
  const { mutateAsync } = useDeleteForGood()
  const disks = item.disks.length
  const along = disks > 0 ? ` and the ${disks === 1 ? 'disk' : `${disks} disks`} in the bin with it` : ''
  return (
    <ForGoodQuestion
      noun={binNouns[item.kind]}
      name={item.name}
      along={along}
      call="bin.delete"
      act={() => mutateAsync(item)}
      onClose={onClose}
    />
  )
}
