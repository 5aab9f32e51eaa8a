//! Sets of ids: of vendors, purposes and special features.

use core::ops::RangeInclusive;

/// Ids from 1 to 65,535.
///
/// The set keeps ranges, so it takes the room of its text and not that of its ids: a hostile string may
/// name all vendors a thousand times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids(
    /// First and last id of each range: ascending, and at least one id apart.
    Vec<(u16, u16)>,
);

impl Ids {
    /// True if nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        self.0
            .iter()
            .map(|(first, last)| usize::from(last - first) + 1)
            .sum()
    }

    /// True if the id is in the set.
    pub fn contains(&self, id: u16) -> bool {
        self.holds(id, id)
    }

    /// True if every id is in `other`, too.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0
            .iter()
            .all(|(first, last)| other.holds(*first, *last))
    }

    /// True if all ids from `first` to `last` are in the set.
    fn holds(&self, first: u16, last: u16) -> bool {
        let after = self.0.partition_point(|(start, _)| *start <= first);
        after
            .checked_sub(1)
            .and_then(|index| self.0.get(index))
            .is_some_and(|(_, end)| last <= *end)
    }

    /// The largest id.
    pub fn max(&self) -> Option<u16> {
        self.0.last().map(|(_, last)| *last)
    }

    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// First and last id of each range, ascending.
    pub fn ranges(&self) -> &[(u16, u16)] {
        &self.0
    }

    /// The same set with the gaps filled that hold none of `listed`. Publisher restrictions may name ids of
    /// nobody, which makes them shorter ("RangeEntry").
    #[must_use]
    pub fn across_gaps(&self, listed: &Self) -> Self {
        let mut wider: Vec<(u16, u16)> = Vec::new();
        for (first, last) in &self.0 {
            match wider.last_mut() {
                Some(before) if !listed.meets(before.1 + 1, first - 1) => before.1 = *last,
                _ => wider.push((*first, *last)),
            }
        }
        Self(wider)
    }

    /// True if an id of `first..=last` is in the set.
    fn meets(&self, first: u16, last: u16) -> bool {
        let index = self.0.partition_point(|(_, end)| *end < first);
        self.0.get(index).is_some_and(|(start, _)| *start <= last)
    }
}

impl FromIterator<RangeInclusive<u16>> for Ids {
    /// The union of the ranges. 0 is the id of nothing and left out.
    fn from_iter<I: IntoIterator<Item = RangeInclusive<u16>>>(ranges: I) -> Self {
        let mut ranges: Vec<_> = ranges
            .into_iter()
            .map(|range| ((*range.start()).max(1), *range.end()))
            .filter(|(first, last)| first <= last)
            .collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, before| {
            let joins = u32::from(next.0) <= u32::from(before.1) + 1;
            if joins {
                before.1 = before.1.max(next.1);
            }
            joins
        });
        Self(ranges)
    }
}

impl FromIterator<u16> for Ids {
    /// The set of these ids, in any order.
    fn from_iter<I: IntoIterator<Item = u16>>(ids: I) -> Self {
        ids.into_iter().map(|id| id..=id).collect()
    }
}

impl serde::Serialize for Ids {
    /// An ascending list.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &[u16]) -> Ids {
        list.iter().copied().collect()
    }

    #[test]
    fn a_set_is_the_same_however_it_is_made() {
        let set = ids(&[7, 3, 1, 2, 2, 65_535, 0]);
        assert_eq!(set.ranges(), [(1, 3), (7, 7), (65_535, 65_535)]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 2, 3, 7, 65_535]);
        assert_eq!((set.len(), set.max()), (5, Some(65_535)));
        let overlapping = [1..=3, 2..=2, 0..=0, 7..=7, 65_535..=65_535, 1..=1];
        assert_eq!(overlapping.into_iter().collect::<Ids>(), set);
        for id in [1, 3, 7, 65_535] {
            assert!(set.contains(id), "{id}");
        }
        for id in [0, 4, 6, 8, 65_534] {
            assert!(!set.contains(id), "{id}");
        }
        assert!(ids(&[0]).is_empty());
    }

    #[test]
    fn many_wide_ranges_take_the_room_of_one() {
        let all: Ids = (0..1000).map(|_| 1..=u16::MAX).collect();
        assert_eq!(all.ranges(), [(1, u16::MAX)]);
    }

    #[test]
    fn gaps_without_listed_ids_are_filled() {
        let listed = ids(&[1, 2, 5, 9, 11]);
        assert_eq!(
            ids(&[2, 5, 11]).across_gaps(&listed).ranges(),
            [(2, 5), (11, 11)]
        );
        assert_eq!(ids(&[2, 5, 11]).across_gaps(&ids(&[])).ranges(), [(2, 11)]);
        assert_eq!(
            ids(&[1, 3]).across_gaps(&ids(&[2])).ranges(),
            [(1, 1), (3, 3)]
        );
    }
}
