//! Colours: pairs of bodies that share no body that can move.

/// Colours that are told apart; a pair that finds none of them free comes after them all.
const COLOURS: usize = 63;

/// Sorts the contacts of an island into classes within which none shares a body that can move; the memory is kept.
///
/// Pairs of bodies are coloured, not contacts: the contacts of a pair follow one another, first contacts of all pairs
/// of a colour, then the second ones. When contacts were coloured one by one, a tower of ten cubes leaned by 3 % of its
/// size: all first corners of the tower were pressed before any second one.
#[derive(Debug, Default)]
pub(super) struct Colours {
    /// Colours that meet at each body, one bit each.
    met: Vec<u64>,
    /// Colour of each contact's pair, and its place in the pair.
    colour: Vec<(u8, u32)>,
    order: Vec<u32>,
    sorted: Vec<u32>,
    count: Vec<usize>,
    /// Where each class ends; those behind all colours hold a single contact each.
    ends: Vec<usize>,
}

impl Colours {
    /// Gives every pair the first colour that is free at its bodies. `ends` yields the two bodies of each contact, none
    /// for one that cannot move; they are numbered from 0 to `bodies`. Contacts of a pair come one after the other.
    pub(super) fn sort(&mut self, bodies: usize, ends: impl Iterator<Item = [Option<u32>; 2]>) {
        self.met.clear();
        self.met.resize(bodies, 0);
        self.colour.clear();
        let mut count = [0usize; COLOURS + 1];
        let mut pair = ([None; 2], 0u8, 0u32);
        for (k, movable) in ends.enumerate() {
            // Two pairs with the same movable body and different walls are two pairs; as one they would do no harm.
            if k > 0 && pair.0 == movable {
                pair.2 += 1;
            } else {
                let met = movable.into_iter().flatten().fold(0, |met, body| met | self.met[body as usize]);
                let colour = ((!met).trailing_zeros() as usize).min(COLOURS);
                if colour < COLOURS {
                    movable.into_iter().flatten().for_each(|body| self.met[body as usize] |= 1 << colour);
                }
                pair = (movable, colour as u8, 0);
            }
            self.colour.push((pair.1, pair.2));
            count[usize::from(pair.1)] += 1;
        }
        self.sort_by_colour(&mut count);
        self.sort_by_place(&count);
    }

    /// Turns `count` into where each colour ends.
    fn sort_by_colour(&mut self, count: &mut [usize; COLOURS + 1]) {
        let mut total = 0;
        for end in count.iter_mut() {
            total += std::mem::replace(end, total);
        }
        self.order.clear();
        self.order.resize(self.colour.len(), 0);
        for (contact, (colour, _)) in self.colour.iter().enumerate() {
            let end = &mut count[usize::from(*colour)];
            self.order[*end] = contact as u32;
            *end += 1;
        }
    }

    /// Sorts each colour by the place of the contact in its pair.
    fn sort_by_place(&mut self, colour_ends: &[usize; COLOURS + 1]) {
        self.ends.clear();
        self.sorted.resize(self.order.len(), 0);
        let mut start = 0;
        for end in &colour_ends[..COLOURS] {
            let contacts = &self.order[start..*end];
            let place = |contact: u32| self.colour[contact as usize].1 as usize;
            let places = contacts.iter().map(|contact| place(*contact) + 1).max().unwrap_or(0);
            self.count.clear();
            self.count.resize(places, 0);
            contacts.iter().for_each(|contact| self.count[place(*contact)] += 1);
            for count in &mut self.count {
                start += std::mem::replace(count, start);
                self.ends.push(start);
            }
            for contact in contacts {
                let at = &mut self.count[place(*contact)];
                self.sorted[*at] = *contact;
                *at += 1;
            }
        }
        self.sorted[start..].copy_from_slice(&self.order[start..]);
        self.ends.extend(start + 1..=self.order.len());
    }

    /// The contacts of each class.
    pub(super) fn classes(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|k| &self.sorted[if k == 0 { 0 } else { self.ends[k - 1] }..self.ends[k]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_of_a_class_share_no_body_that_moves_and_pairs_stay_together() {
        // A star of more pairs than there are colours, a chain of pairs with four contacts, and a body that cannot
        // move.
        let star = (1..70).map(|k| [Some(0), Some(k)]);
        let chain = (70..90).flat_map(|k| [[Some(k), Some(k + 1)]; 4]);
        let floor = (0..91).map(|k| [Some(k), None]);
        let contacts: Vec<[Option<u32>; 2]> = star.chain(chain).chain(floor).collect();
        let mut colours = Colours::default();
        colours.sort(91, contacts.iter().copied());
        let mut seen = vec![false; contacts.len()];
        for class in colours.classes() {
            let mut bodies: Vec<u32> = class.iter().flat_map(|k| contacts[*k as usize].into_iter().flatten()).collect();
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count);
            class.iter().for_each(|k| assert!(!std::mem::replace(&mut seen[*k as usize], true)));
        }
        assert!(seen.iter().all(|seen| *seen));
        let late = colours.colour.iter().filter(|(colour, _)| usize::from(*colour) == COLOURS).count();
        assert_eq!(late, 69 + 1 - COLOURS, "the star's centre has 70 pairs");
        let single = colours.classes().skip(colours.ends.len() - late).map(<[u32]>::len);
        assert_eq!(single.collect::<Vec<_>>(), vec![1; late]);
        // The chain is in two colours beside those of the floor, and the four contacts of its pairs follow one another.
        let places = |class: &[u32]| class.iter().filter(|k| (69..149).contains(*k)).map(|k| (k - 69) % 4).max();
        let places: Vec<u32> = colours.classes().filter_map(places).collect();
        assert_eq!(places, [0, 1, 2, 3, 0, 1, 2, 3]);
    }
}
